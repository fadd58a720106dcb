"""OpenStack Swift on one port of loopback, with its S3 interface: the real account, container, object and proxy server,
each once, in one process. Arguments: an empty folder, key and secret of its one user. Prints its port when it is ready,
and ends with its standard input."""

import os
import sys
from os.path import join

import eventlet
from eventlet import listen, wsgi

eventlet.monkey_patch()

from swift.common import storage_policy, utils  # noqa: E402
from swift.common.ring.builder import RingBuilder  # noqa: E402
from swift.common.wsgi import SwiftHttpProtocol, loadapp  # noqa: E402

folder, user, secret = sys.argv[1:4]


def write(name, text):
    path = join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


# Swift knows only /etc/swift, and takes the rest of its configuration from files.
settings = write('swift.conf', """[swift-hash]
swift_hash_path_suffix = tests
[storage-policy:0]
name = one
default = yes
""")
utils.SWIFT_CONF_FILE = storage_policy.SWIFT_CONF_FILE = settings
utils.HASH_PATH_SUFFIX = b'tests'
storage_policy.reload_storage_policies()

APP = f"""[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
log_level = ERROR
log_address = {folder}/no-syslog
[app:{{kind}}-server]
use = egg:swift#{{kind}}
"""

FILTERS = ['catch_errors', 's3api', 'tempauth', 'copy', 'slo']
PROXY = f"""account_autocreate = true
[pipeline:main]
pipeline = {' '.join(FILTERS)} proxy-server
{''.join(f'[filter:{name}]{chr(10)}use = egg:swift#{name}{chr(10)}' for name in FILTERS if name not in ('s3api', 'tempauth'))}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_{user.replace(':', '_')} = {secret} .admin
"""


class Memory:
    """In place of memcached, which one process does not need."""

    def __init__(self):
        self.held = {}

    def get(self, key, raise_on_error=False):
        return self.held.get(key)

    def set(self, key, value, serialize=True, time=0, min_compress_len=0, raise_on_error=False):
        self.held[key] = value

    def incr(self, key, delta=1, time=0):
        self.held[key] = int(self.held.get(key, 0)) + delta
        return self.held[key]

    def delete(self, key, server_key=None):
        self.held.pop(key, None)


class Remembering:
    def __init__(self, app):
        self.app = app
        self.memory = Memory()

    def __call__(self, environment, start_response):
        environment['swift.cache'] = self.memory
        return self.app(environment, start_response)


def serve(socket, app):
    eventlet.spawn(wsgi.server, socket, app, utils.NullLogger(), protocol=SwiftHttpProtocol)


os.makedirs(join(folder, 'devices', 'disk'))
for kind in ('account', 'container', 'object'):
    socket = listen(('127.0.0.1', 0))
    builder = RingBuilder(3, 1, 1)
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1.0, 'meta': '',
                     'ip': '127.0.0.1', 'port': socket.getsockname()[1], 'device': 'disk'})
    builder.rebalance()
    builder.get_ring().save(join(folder, f'{kind}.ring.gz'))
    pipeline = f'[pipeline:main]\npipeline = {kind}-server\n'
    serve(socket, loadapp(write(f'{kind}.conf', APP.format(kind=kind) + pipeline)))

proxy = listen(('127.0.0.1', 0))
serve(proxy, Remembering(loadapp(write('proxy.conf', APP.format(kind='proxy') + PROXY))))
print(proxy.getsockname()[1], flush=True)
eventlet.tpool.execute(sys.stdin.read)
os._exit(0)
