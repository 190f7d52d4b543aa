; The Windows installer, for one person or for all of a machine's.
; makensis -DVERSION=1.2.3 -DBUNDLE=FOLDER -DOUT=FILE installer.nsi
; Compiled on Linux with makensis; not run on Windows yet.

Unicode true
ManifestDPIAware true
SetCompressor /SOLID lzma

!define MULTIUSER_EXECUTIONLEVEL Highest
!define MULTIUSER_MUI
!define MULTIUSER_INSTALLMODE_COMMANDLINE
!define MULTIUSER_USE_PROGRAMFILES64
!define MULTIUSER_INSTALLMODE_INSTDIR "Context Inspector"
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\ContextInspector"
!define MULTIUSER_INSTALLMODE_INSTDIR_REGISTRY_KEY "${KEY}"
!define MULTIUSER_INSTALLMODE_INSTDIR_REGISTRY_VALUENAME "InstallLocation"
!define MULTIUSER_INSTALLMODE_DEFAULT_REGISTRY_KEY "${KEY}"
!define MULTIUSER_INSTALLMODE_DEFAULT_REGISTRY_VALUENAME "InstallLocation"
!include MultiUser.nsh
!include MUI2.nsh
!include FileFunc.nsh

Name "Context Inspector"
OutFile "${OUT}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Context Inspector"
VIAddVersionKey "FileDescription" "Installs Context Inspector"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "Context Inspector contributors, MIT licence"

!insertmacro MUI_PAGE_LICENSE "..\..\LICENSE"
!insertmacro MULTIUSER_PAGE_INSTALLMODE
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

!macro FileKind suffix type name
  WriteRegStr SHCTX "Software\Classes\${type}" "" "${name}"
  WriteRegStr SHCTX "Software\Classes\${type}\DefaultIcon" "" "$INSTDIR\context-inspector-gui.exe,0"
  WriteRegStr SHCTX "Software\Classes\${type}\shell\open\command" "" '"$INSTDIR\context-inspector-gui.exe" "%1"'
  WriteRegStr SHCTX "Software\Classes\.${suffix}\OpenWithProgids" "${type}" ""
!macroend

Function .onInit
  !insertmacro MULTIUSER_INIT
FunctionEnd

Function un.onInit
  !insertmacro MULTIUSER_UNINIT
FunctionEnd

Section
  ; Libraries of an older version beside those of this one would be loaded with them.
  RMDir /r "$INSTDIR\_internal"
  SetOutPath "$INSTDIR"
  File /r "${BUNDLE}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortCut "$SMPROGRAMS\Context Inspector.lnk" "$INSTDIR\context-inspector-gui.exe"
  !insertmacro FileKind "constellation" "ContextInspector.Constellation" "Constellation of agents"
  !insertmacro FileKind "af" "ContextInspector.AgentFile" "Letta Agent File"
  WriteRegStr SHCTX "${KEY}" "DisplayName" "Context Inspector"
  WriteRegStr SHCTX "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr SHCTX "${KEY}" "Publisher" "Context Inspector contributors"
  WriteRegStr SHCTX "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr SHCTX "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe" /$MultiUser.InstallMode'
  WriteRegStr SHCTX "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /$MultiUser.InstallMode /S'
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD SHCTX "${KEY}" "EstimatedSize" $0
  System::Call "shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)"
SectionEnd

Section "Uninstall"
  Delete "$SMPROGRAMS\Context Inspector.lnk"
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\context-inspector.exe"
  Delete "$INSTDIR\context-inspector-gui.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey SHCTX "Software\Classes\ContextInspector.Constellation"
  DeleteRegKey SHCTX "Software\Classes\ContextInspector.AgentFile"
  DeleteRegValue SHCTX "Software\Classes\.constellation\OpenWithProgids" "ContextInspector.Constellation"
  DeleteRegValue SHCTX "Software\Classes\.af\OpenWithProgids" "ContextInspector.AgentFile"
  DeleteRegKey SHCTX "${KEY}"
  System::Call "shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)"
SectionEnd
