"""A server of OPC UA by asyncua, with a reactor.

Arguments: port, certificate (PEM), private key (PEM), and the certificate of the only user (PEM); without it, the server takes everybody.
"""

import asyncio
import sys

from asyncua import Server, ua, uamethod
from asyncua.common.structures104 import new_struct, new_struct_field
from asyncua.server.user_managers import CertificateUserManager


@uamethod
def dose(_parent, volume):
    print(f"dose {volume}", flush=True)
    if volume > 100:
        raise ua.UaStatusCodeError(ua.StatusCodes.BadOutOfRange)
    return volume


async def main(port, certificate, key, user=None):
    users = CertificateUserManager()
    if user is not None:
        await users.add_user(user, name="lab")
    server = Server(user_manager=users if user else None)
    await server.init()
    server.set_endpoint(f"opc.tcp://127.0.0.1:{port}/")
    await server.set_application_uri("urn:reactor")
    await server.load_certificate(certificate)
    await server.load_private_key(key)
    if user is not None:
        server.set_identity_tokens([ua.X509IdentityToken])
    server.set_security_policy([ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt])
    index = await server.register_namespace("urn:reactor")
    reactor = await server.nodes.objects.add_object(index, "Reactor")
    await reactor.add_variable(index, "Temperature", 21.5)
    target = await reactor.add_variable(index, "Target", 20.0)
    await target.set_writable()

    await new_struct(
        server,
        index,
        "Recipe",
        [new_struct_field("Target", ua.VariantType.Double), new_struct_field("Name", ua.VariantType.String)],
    )
    await server.load_data_type_definitions()
    recipe = await reactor.add_variable(index, "Recipe", ua.Recipe(Target=50.0, Name="first"))
    await recipe.set_writable()

    volume = ua.Argument(Name="volume", DataType=ua.NodeId(ua.ObjectIds.Double), ValueRank=-1)
    dosed = ua.Argument(Name="dosed", DataType=ua.NodeId(ua.ObjectIds.Double), ValueRank=-1)
    await reactor.add_method(index, "Dose", dose, [volume], [dosed])
    async with server:
        print("ready", flush=True)
        await asyncio.Event().wait()


asyncio.run(main(int(sys.argv[1]), *sys.argv[2:]))
