#!/usr/bin/env bash
# Builds, signs, packs and notarises the program on macOS. Not run yet: no Mac was at hand.
# SIGN_IDENTITY     a "Developer ID Application: …" certificate. Without it the program is signed ad hoc, macOS warns
#                   of it, and keys can't be kept in the keychain from one build to the next.
# NOTARY_PROFILE    credentials that `xcrun notarytool store-credentials` keeps under this name; without it the disk
#                   image isn't notarised.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$(sed -n 's/^__version__ = "\([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p' "$root/inspector/__init__.py")
app="$root/build/frozen/dist/Context Inspector.app"
image="$root/dist/context-inspector-$version-macos-$(uname -m).dmg"
identity=${SIGN_IDENTITY:--}

python3 "$root/packaging/build.py" bundle
# From the inside out: a signature covers those of what is within.
find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -print0 |
    xargs -0 -n 20 codesign --force --timestamp --options runtime --sign "$identity"
codesign --force --timestamp --options runtime --entitlements "$root/packaging/macos/entitlements.plist" \
    --sign "$identity" "$app"
codesign --verify --deep --strict "$app"
"$app/Contents/MacOS/context-inspector" --selftest

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -R "$app" "$stage"
ln -s /Applications "$stage/Applications"
hdiutil create -volname "Context Inspector" -srcfolder "$stage" -format UDZO -ov "$image"
codesign --force --timestamp --sign "$identity" "$image"
if [[ -n ${NOTARY_PROFILE:-} ]]; then
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$image"
fi
