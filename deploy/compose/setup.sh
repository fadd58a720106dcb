#!/bin/sh
# Makes the keys and certificates of the service, and the folder of secrets of each container. Run it again to renew the
# certificates, which are valid for 90 days: keys and passwords stay.
set -eu
umask 077
program=${SVC_PROGRAM:-/opt/svc/apps/cli/bin/svc.mjs}
out=${SECRETS:-/secrets}
svc() { node "$program" "$@"; }

# An agent that comes through the gateway knows the broker by the name of the service.
svc broker certificate broker "$NAME" --out "$out/broker"
svc broker certificate "$NAME" gateway --out "$out/https"
svc broker config --listen 0.0.0.0:4222 --accounts /accounts --tls /etc/nats >"$out/broker/nats.conf"
svc keys hand-out "$out"

# The database is on a network of this server alone, so its connections are not encrypted.
password() { node -p 'require("node:crypto").randomBytes(32).toString("base64url")'; }
mkdir -p "$out/database" "$out/migrate"
if [ ! -e "$out/database/roles.sql" ]; then
  password >"$out/database/password"
  roles=$(svc database roles)
  for pair in owner:migrate orchestrator:orchestrator gateway:gateway; do
    role=lab_${pair%:*}
    secret=$(password)
    roles="$roles
alter role $role password '$secret';"
    echo "postgresql://$role:$secret@database/lab?sslmode=disable" >"$out/${pair#*:}/database-url"
  done
  printf '%s\n' "$roles" >"$out/database/roles.sql"
fi
echo "The secrets are in $out. Keep a copy of the keys in a safe place."
