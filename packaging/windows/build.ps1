# Builds, signs and packs the program on Windows. Not run yet: no Windows machine was at hand.
# SIGN_THUMBPRINT names a certificate in the person's store; without it nothing is signed.
$ErrorActionPreference = "Stop"
$root = (Resolve-Path "$PSScriptRoot\..\..").Path
$version = (Select-String -Path "$root\inspector\__init__.py" -Pattern '__version__ = "(\d+\.\d+\.\d+)').Matches[0].Groups[1].Value
$bundle = "$root\build\frozen\dist\context-inspector"
$installer = "$root\dist\context-inspector-$version-windows-x86_64.exe"

function Sign($files) {
    if (-not $env:SIGN_THUMBPRINT) { return }
    & signtool sign /sha1 $env:SIGN_THUMBPRINT /fd SHA256 /tr http://timestamp.digicert.com /td SHA256 $files
    if ($LASTEXITCODE) { throw "signtool failed" }
}

python "$root\packaging\build.py" bundle
if ($LASTEXITCODE) { throw "the bundle failed" }
Sign @("$bundle\context-inspector.exe", "$bundle\context-inspector-gui.exe")
makensis "-DVERSION=$version" "-DBUNDLE=$bundle" "-DOUT=$installer" "$root\packaging\windows\installer.nsi"
if ($LASTEXITCODE) { throw "makensis failed" }
Sign @($installer)
