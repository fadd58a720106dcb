#!/bin/sh
# Writes the certificate and the configuration of three nodes into folders below the first argument, for example
#   deploy/nats/print.sh /root/brokers lab1=10.0.0.31 lab2=10.0.0.32 lab3=10.0.0.33
# SVC names another command than "npx svc". Run it where the keys of the service are (SVC_DATA_DIR). Copy each folder to /etc/svc/broker of its node; it holds a private key.
set -eu
out=$1
shift
routes=$(for node in "$@"; do printf '%s:6222\n' "${node#*=}"; done | paste -sd, -)
for node in "$@"; do
  name=${node%%=*}
  address=${node#*=}
  ${SVC:-npx svc} broker certificate "$name" "$address" --peer --out "$out/$name"
  ${SVC:-npx svc} broker config --listen "$address:4222" --tls /etc/svc/broker --accounts /var/lib/svc-nats \
    --cluster lab --node "$name" --route "$address:6222" --routes "$routes" >"$out/$name/nats.conf"
done
