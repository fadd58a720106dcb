import type { BrokerIdentity } from '@lab/trust';

/** A nats-server outside of the stack. */
export interface OwnServer {
  /** Address and port on which it listens to clients. */
  readonly listen: string;
  /** Absolute path of a folder on its computer that it may write. */
  readonly accounts: string;
  /** Absolute path of a folder on its computer, with `certificate.pem`, `key.pem` and `ca.pem`; undefined: it does not encrypt. */
  readonly certificates?: string | undefined;
  /** The cluster to which it belongs; undefined: it stands alone. */
  readonly cluster?: ClusterNode | undefined;
}

/** A server of a cluster. */
export interface ClusterNode {
  /** Name of the cluster, the same on all nodes. */
  readonly name: string;
  /** Name of this node. */
  readonly node: string;
  /** Addresses and ports at which all nodes listen to each other. */
  readonly routes: readonly string[];
  /** The one of this node. */
  readonly ownRoute: string;
}

/**
 * The whole configuration of a nats-server, 2.9.10 or newer. It contains no secret.
 *
 * @throws Error in one sentence when a node of a cluster has no certificates or is not among the routes
 */
export async function ownServerSettings(identity: BrokerIdentity, server: OwnServer): Promise<string> {
  const { identitySettings } = await import('@lab/trust');
  const { listen, accounts, certificates, cluster } = server;
  const files = filesIn(certificates);
  return [
    `listen: ${JSON.stringify(listen)}`,
    'max_payload: 2097152',
    ...(files === undefined ? [] : [`tls { cert_file: ${files.certificate}, key_file: ${files.key} }`]),
    ...(cluster === undefined ? [] : clusterSettings(cluster, files)),
    ...identitySettings(identity, accounts, cluster !== undefined),
    '',
  ].join('\n');
}

interface Files {
  certificate: string;
  key: string;
  authority: string;
}

function filesIn(folder: string | undefined): Files | undefined {
  if (folder === undefined) return undefined;
  const path = (name: string): string => JSON.stringify(`${folder}/${name}`);
  return { certificate: path('certificate.pem'), key: path('key.pem'), authority: path('ca.pem') };
}

/** Nodes find a lost node within about 4 s, as clients find a lost server. */
function clusterSettings({ name, node, routes, ownRoute }: ClusterNode, files: Files | undefined): string[] {
  if (files === undefined)
    throw new Error('A node of a cluster needs --tls: whoever reaches its route could pass any message.');
  if (!routes.includes(ownRoute))
    throw new Error(`--routes must contain the route of this node, ${ownRoute}.`);
  const others = routes.filter((route) => route !== ownRoute);
  return [
    `server_name: ${JSON.stringify(node)}`,
    'ping_interval: "2s"',
    'ping_max: 2',
    'write_deadline: "2s"',
    'cluster {',
    `  name: ${JSON.stringify(name)}`,
    `  listen: ${JSON.stringify(ownRoute)}`,
    // Clients know all addresses. Those that a node would tell them are not in its certificate.
    '  no_advertise: true',
    // A node shows its certificate, and demands that of the other: `svc broker certificate --peer` makes both.
    `  tls { cert_file: ${files.certificate}, key_file: ${files.key}, ca_file: ${files.authority}, verify: true, timeout: 3 }`,
    `  routes: [${others.map((route) => JSON.stringify(`nats-route://${route}`)).join(', ')}]`,
    '}',
  ];
}
