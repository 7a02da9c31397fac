#!/bin/sh
# image-files.sh PROGRAM FOLDER: gathers the files of the image: the program, the libraries that it is linked with,
# the certificates of the web, and a user without rights.
set -eu
program=$1
folder=$2

mkdir -p "$folder/usr/local/bin" "$folder/etc/ssl/certs" "$folder/data" "$folder/agent/.contexture" "$folder/tmp"
cp "$program" "$folder/usr/local/bin/contexture"
# Each line of ldd has the path of a file, but for what the kernel gives.
ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$folder$(dirname "$library")"
  cp -L "$library" "$folder$library"
done
cp -L /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
echo 'contexture:x:65532:65532::/data:/sbin/nologin' >"$folder/etc/passwd"
echo 'contexture:x:65532:' >"$folder/etc/group"
chown -R 65532:65532 "$folder/data" "$folder/agent"
chmod 700 "$folder/data" "$folder/agent/.contexture"
chmod 1777 "$folder/tmp"
