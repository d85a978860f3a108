#!/bin/sh
# Install the product with some extras into /opt/quoth, by the versions and hashes of the lock.
# For the Dockerfile; BUILD and AIM name other folders where it is tried without an engine.
set -eu
build=${BUILD:-/build}
aim=${AIM:-/opt/quoth}
wheel=$(echo "$build"/wheel/quoth-*.whl)
hash=$(sha256sum "$wheel" | cut -d ' ' -f 1)
python3 -m venv --without-pip "$aim"
"$build/tools/bin/pip" --python "$aim/bin/python" install \
    --constraint "$build/requirements.lock" --constraint "$build/ocr.lock" \
    "quoth[$1] @ file://$wheel#sha256=$hash"
