#!/usr/bin/env bash
# References over real servers on loopback: nginx, OpenSSH's sshd, pure-ftpd. Content, conditional
# requests, redirects, slow answers, passwords, keys of hosts and of people, limits.
#
# The servers are installed by apt when they are missing, which takes root or sudo; they run with
# configurations of their own in a temporary folder. Run as root, sshd gets an account of its own, which
# is removed again; else it lets in the one who runs this, by key alone. Without root there is no FTP.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
PATH=$PATH:/usr/sbin:/sbin

chmod 755 "$work"
account=
made_run_sshd=
cleanup() {
  [ -z "$account" ] || userdel "$account" 2>/dev/null || true
  [ -z "$made_run_sshd" ] || rmdir /run/sshd 2>/dev/null || true
}

# -- what is needed ---------------------------------------------------------------------------------------

root=
[ "$(id -u)" -ne 0 ] || root=yes
missing=()
command -v nginx >/dev/null || missing+=(nginx-light)
command -v sshd >/dev/null || missing+=(openssh-server)
command -v ssh-keyscan >/dev/null || missing+=(openssh-client)
command -v openssl >/dev/null || missing+=(openssl)
[ -z "$root" ] || command -v pure-ftpd >/dev/null || missing+=(pure-ftpd)
if [ ${#missing[@]} -gt 0 ]; then
  if [ -z "$root" ] && ! sudo -n true 2>/dev/null; then
    echo "skipped: ${missing[*]} are missing, and only root can install them"
    exit 0
  fi
  apt "${missing[@]}"
fi

# -- what they serve --------------------------------------------------------------------------------------

files=$work/files
mkdir -p "$files/folder" "$files/private"
printf '# 你好\n\nThe second line.\n' >"$files/hello 世.md"
printf '\xd6\xd0\xce\xc4\n' >"$files/gbk.txt"
printf '{"a": [1, 2]}\n' >"$files/data.json"
printf 'for ann alone\n' >"$files/private/note.txt"
printf 'a star\n' >"$files/*.txt"
head -c 2000000 /dev/zero | tr '\0' 'x' >"$files/big.txt"
head -c 300000 /dev/urandom >"$files/random.bin"
chmod -R a+rX "$files"

password='p@ss/w:rd %9'

# -- nginx ------------------------------------------------------------------------------------------------

web=$(free_port)
tls=$(free_port)
printf 'ann:%s\n' "$(printf '%s\n' "$password" | openssl passwd -apr1 -stdin)" >"$work/htpasswd"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=localhost' \
  -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' -addext 'basicConstraints=critical,CA:FALSE' \
  -keyout "$work/tls.key" -out "$work/tls.crt" 2>"$work/openssl.log"
cat >"$work/nginx.conf" <<CONF
${root:+user root;}
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log $work/nginx-error.log warn;
events { worker_connections 64; }
http {
  types { text/markdown md; text/plain txt; application/json json; }
  default_type application/octet-stream;
  log_format seen '\$request|\$status|\$http_if_none_match|\$remote_user';
  access_log $work/nginx-access.log seen;
  client_body_temp_path $work/nginx-body;
  proxy_temp_path $work/nginx-proxy;
  fastcgi_temp_path $work/nginx-fastcgi;
  uwsgi_temp_path $work/nginx-uwsgi;
  scgi_temp_path $work/nginx-scgi;
  gzip on;
  gzip_min_length 1;
  gzip_types text/plain text/markdown;
  server {
    listen 127.0.0.1:$web;
    listen 127.0.0.1:$tls ssl;
    ssl_certificate $work/tls.crt;
    ssl_certificate_key $work/tls.key;
    root $files;
    location /private/ { auth_basic "private"; auth_basic_user_file $work/htpasswd; }
    location = /gbk.txt { types { } default_type "text/plain; charset=gbk"; }
    location = /wrong.txt { alias $files/gbk.txt; types { } default_type "text/plain; charset=utf-8"; }
    location = /slow.txt { alias $files/big.txt; limit_rate 1000; }
    location = /moved { return 302 /data.json; }
    location = /loop { return 301 /loop; }
    location = /inside { return 302 http://169.254.169.254/latest/meta-data; }
    location = /plain { return 302 http://127.0.0.1:$web/data.json; }
    location = /kept.txt { alias $files/gbk.txt; expires 1h; }
    location = /broken { return 500; }
    location = /reset { return 444; }
    location = /echo { default_type text/plain; return 200 "\$args"; }
  }
}
CONF
serve nginx -c "$work/nginx.conf" -e "$work/nginx-error.log" -p "$work" >"$work/nginx.log" 2>&1
ready nginx connects "$web"

# -- sshd -------------------------------------------------------------------------------------------------

ssh=$(free_port)
home=$work/home
mkdir -p "$home/.ssh" "$work/home-of-account"
for kind in ed25519 rsa; do ssh-keygen -q -t "$kind" -N '' -f "$work/host_$kind"; done
ssh-keygen -q -t ed25519 -N '' -f "$work/another_host"
ssh-keygen -q -t ed25519 -N '' -f "$home/.ssh/id_ed25519"
ssh-keygen -q -t rsa -N '' -f "$home/.ssh/id_rsa"
ssh-keygen -q -t ed25519 -N '' -f "$work/stranger"
ssh-keygen -q -t ed25519 -N 'with a passphrase' -f "$work/locked"
cat "$home/.ssh/id_ed25519.pub" "$home/.ssh/id_rsa.pub" >"$work/authorized_keys"
chmod 644 "$work/authorized_keys"
if [ -n "$root" ]; then
  account=cxref$$
  useradd --no-create-home --home-dir "$work/home-of-account" --shell /bin/sh "$account"
  printf '%s:%s\n' "$account" "$password" | chpasswd
  login=$account
  [ -d /run/sshd ] || { mkdir -p /run/sshd; made_run_sshd=yes; }
else
  login=$(id -un)
fi
printf 'at home\n' >"$work/home-of-account/note.md"
printf 'secret\n' >"$files/unreadable.txt"
chmod 000 "$files/unreadable.txt"
cat >"$work/sshd_config" <<CONF
ListenAddress 127.0.0.1
Port $ssh
HostKey $work/host_ed25519
HostKey $work/host_rsa
PidFile $work/sshd.pid
AuthorizedKeysFile $work/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication yes
PermitRootLogin no
MaxStartups 100
LogLevel VERBOSE
Subsystem sftp internal-sftp
CONF
[ -n "$root" ] || sed -i 's/^PasswordAuthentication .*/PasswordAuthentication no/' "$work/sshd_config"
serve "$(command -v sshd)" -D -e -f "$work/sshd_config" 2>"$work/sshd.log"
ready sshd connects "$ssh"
ssh-keyscan -p "$ssh" 127.0.0.1 >"$home/.ssh/known_hosts" 2>/dev/null
[ -s "$home/.ssh/known_hosts" ] || fail "sshd shows no key"
cp "$home/.ssh/known_hosts" "$work/hashed_hosts"
ssh-keygen -q -H -f "$work/hashed_hosts" >/dev/null 2>&1
grep ssh-rsa "$home/.ssh/known_hosts" >"$work/rsa_hosts"
serve ssh-agent -D -a "$work/agent" >"$work/agent.log" 2>&1
ready ssh-agent test -S "$work/agent"
SSH_AUTH_SOCK=$work/agent ssh-add -q "$home/.ssh/id_rsa" "$home/.ssh/id_ed25519"
printf '[127.0.0.1]:%s %s\n' "$ssh" "$(cut -d' ' -f1,2 "$work/another_host.pub")" >"$work/changed_hosts"

# -- pure-ftpd --------------------------------------------------------------------------------------------

ftp=
if [ -n "$root" ]; then
  ftp=$(free_port)
  printf '%s\n%s\n' "$password" "$password" | pure-pw useradd ann -u "$(id -u "$account")" \
    -g "$(id -g "$account")" -d "$files" -f "$work/ftp.passwd" >"$work/pure-pw.log" 2>&1
  pure-pw mkdb "$work/ftp.pdb" -f "$work/ftp.passwd" >>"$work/pure-pw.log" 2>&1
  serve pure-ftpd -S "127.0.0.1,$ftp" -l "puredb:$work/ftp.pdb" -E -H -u 1 -g "$work/ftpd.pid" \
    >"$work/pure-ftpd.log" 2>&1
  ready pure-ftpd connects "$ftp"
else
  echo "skipped: pure-ftpd only runs as root"
fi

# -- the library ------------------------------------------------------------------------------------------

export CONTEXTURE_SERVERS=$work CONTEXTURE_WEB=$web CONTEXTURE_TLS=$tls CONTEXTURE_SSH=$ssh \
  CONTEXTURE_FTP=$ftp CONTEXTURE_LOGIN=$login CONTEXTURE_PASSWORD=${root:+$password}
# The certificates that are trusted: for one part of the tests none, for the other the server's own.
chosen=$(chosen contexture-reference)
cargo test --quiet "$chosen" --test servers --no-run
check() { timeout 300 cargo test --quiet "$chosen" --test servers -- --ignored "$@"; }
check --skip certificate || fail "the library and the servers do not agree"
SSL_CERT_FILE=$work/tls.crt check trusted_certificate || fail "a trusted certificate is refused"
check unknown_certificate || fail "an unknown certificate is not refused"

grep -q '^GET /data.json HTTP/1.1|304|.x22' "$work/nginx-access.log" || fail "nginx saw no conditional request"
ok "nginx answered a conditional request with 304"
! grep -q 'Starting session: command\|Starting session: shell' "$work/sshd.log" || fail "a command was run"
grep -qi 'sftp' "$work/sshd.log" || fail "sshd saw no SFTP"
ok "sshd ran no command"
