#!/usr/bin/env bash
# Makes an AppImage of the archive that `build.py linux` packs: build.sh ARCHIVE OUT
# APPIMAGETOOL names the tool, which fetches its runtime unless RUNTIME names one. Without the tool only the folder
# OUT.AppDir is made, which starts by its AppRun. The last step has not been run yet.
set -euo pipefail
archive=$1 out=$2
id=org.contextinspector.ContextInspector
folder=$out.AppDir
rm -rf "$folder"
mkdir -p "$folder/usr/lib" "$folder/usr/bin"
tar -xzf "$archive" -C "$folder/usr/lib"
mv "$folder"/usr/lib/context-inspector-* "$folder/usr/lib/context-inspector"
mv "$folder/usr/lib/context-inspector/share" "$folder/usr/share"
ln -s ../lib/context-inspector/context-inspector "$folder/usr/bin/context-inspector"
ln -s usr/bin/context-inspector "$folder/AppRun"
ln -s "usr/share/applications/$id.desktop" "$folder/$id.desktop"
ln -s "usr/share/icons/hicolor/256x256/apps/$id.png" "$folder/$id.png"
ln -s "$id.png" "$folder/.DirIcon"
if [[ -n ${APPIMAGETOOL:-} ]]; then
    "$APPIMAGETOOL" ${RUNTIME:+--runtime-file "$RUNTIME"} "$folder" "$out"
fi
