import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ActivateSessionResponse,
  DataType,
  DataValue,
  MessageSecurityMode,
  nodesets,
  OPCUACertificateManager,
  OPCUAServer,
  SecurityPolicy,
  StatusCodes,
  standardUnits,
  type UserTokenType,
  Variant,
  VariantArrayType,
  X509IdentityToken,
  type UAVariable,
} from 'node-opcua';
import { freePort } from '@lab/testkit';

export interface ServerOptions {
  policies?: SecurityPolicy[];
  /** False: the server trusts only certificates that it was told to trust. */
  trusting?: boolean;
  users?: Record<string, string>;
  /** The kinds of users that the server offers, beside those that its other options exclude. */
  kinds?: UserTokenType[];
  /** False: the server does not name a policy that signs for users of channels without a policy. */
  signing?: boolean;
  serial?: string;
  /** Days from now until the certificate of the server ends. */
  days?: number;
}

/** A server of OPC UA with a stirred reactor, which counts what its methods were called with. */
export class ReactorServer {
  readonly doses: number[] = [];
  temperature = 21.5;
  status = StatusCodes.Good;
  port = 0;
  #server: OPCUAServer | null = null;
  readonly #folder = mkdtempSync(join(tmpdir(), 'lab-opcua-'));
  readonly #manager: OPCUACertificateManager;
  /** Trusts only the user certificates that it was told to trust. */
  readonly #userManager: OPCUACertificateManager;
  /**
   * When the server answered clients that tried to log in, in milliseconds. Until it answers, it may still move the certificate to the
   * refused ones, even if somebody trusted it in the meantime.
   */
  readonly logins: number[] = [];
  /** The SHA-256 of the user certificate of each session; null: another kind of user. */
  readonly admitted: (string | null)[] = [];

  constructor(private readonly options: ServerOptions = {}) {
    this.#manager = new OPCUACertificateManager({
      rootFolder: join(this.#folder, 'pki'),
      automaticallyAcceptUnknownCertificate: options.trusting ?? true,
    });
    this.#userManager = new OPCUACertificateManager({ rootFolder: join(this.#folder, 'users') });
  }

  get url(): string {
    return `opc.tcp://127.0.0.1:${this.port}`;
  }

  /** SHA-256 of the certificate of the server. */
  get fingerprint(): string {
    return new X509Certificate(readFileSync(join(this.#folder, 'server.pem'))).fingerprint256;
  }

  async start(): Promise<this> {
    if (this.port === 0) this.port = await freePort();
    await this.#manager.initialize();
    const certificateFile = join(this.#folder, 'server.pem');
    const days = this.options.days ?? 30;
    // A server that starts again keeps its certificate.
    const isNew = !existsSync(certificateFile);
    if (isNew)
      await this.#manager.createSelfSignedCertificate({
        ...{ applicationUri: 'urn:reactor', dns: ['localhost'], ip: ['127.0.0.1'], subject: '/CN=reactor' },
        ...{
          startDate: new Date(Date.now() - 10 * 86_400_000),
          validity: 10 + days,
          outputFile: certificateFile,
        },
      });
    const { users, policies = [SecurityPolicy.None, SecurityPolicy.Basic256Sha256] } = this.options;
    const server = new OPCUAServer({
      ...{ port: this.port, hostname: '127.0.0.1', host: '127.0.0.1', certificateFile },
      privateKeyFile: this.#manager.privateKey,
      serverCertificateManager: this.#manager,
      userCertificateManager: this.#userManager,
      serverInfo: { applicationUri: 'urn:reactor' },
      nodeset_filename: [nodesets.standard],
      securityPolicies: policies,
      securityModes: [MessageSecurityMode.None, MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt],
      allowAnonymous: users === undefined,
      ...(users === undefined
        ? {}
        : { userManager: { isValidUser: (name: string, word: string) => users[name] === word } }),
    });
    await server.initialize();
    this.#nodes(server);
    server.on('response', (response) => {
      if (response instanceof ActivateSessionResponse) this.logins.push(performance.now());
    });
    server.on('session_activated', (_, user) => {
      const isCertificate = user instanceof X509IdentityToken;
      this.admitted.push(isCertificate ? new X509Certificate(user.certificateData).fingerprint256 : null);
    });
    const { kinds, signing = true } = this.options;
    for (const endpoint of server.endpoints.flatMap((each) => each.endpointDescriptions())) {
      endpoint.userIdentityTokens = (endpoint.userIdentityTokens ?? []).filter(
        ({ tokenType }) => kinds?.includes(tokenType) ?? true,
      );
      if (!signing) for (const kind of endpoint.userIdentityTokens) kind.securityPolicyUri = null;
    }
    await server.start();
    this.#server = server;
    return this;
  }

  /** Trusts every certificate that it has refused. */
  async trust(der: Buffer): Promise<void> {
    await this.#manager.trustCertificate(der);
  }

  async trustUser(der: Buffer): Promise<void> {
    await this.#userManager.trustCertificate(der);
  }

  async rejectUser(der: Buffer): Promise<void> {
    await this.#userManager.rejectCertificate(der);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await server?.shutdown(0);
  }

  async dispose(): Promise<void> {
    await this.stop();
    await this.#manager.dispose();
    await this.#userManager.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #nodes({ engine }: OPCUAServer): void {
    const { addressSpace } = engine;
    if (addressSpace === null) throw new Error('the server has no address space');
    const own = addressSpace.getOwnNamespace();
    const reactor = own.addObject({ organizedBy: addressSpace.rootFolder.objects, browseName: 'Reactor' });
    const phaseType = own.addEnumerationType({
      browseName: 'Phase',
      enumeration: ['Idle', 'Heating', 'Draining'],
    });
    const variable = (browseName: string, dataType: DataType, value: unknown): UAVariable =>
      own.addVariable({
        componentOf: reactor,
        browseName,
        dataType,
        value: { dataType, arrayType: VariantArrayType.Scalar, value },
      } as never);
    own.addAnalogDataItem({
      ...{ componentOf: reactor, browseName: 'Temperature', dataType: DataType.Double },
      ...{ engineeringUnits: standardUnits.degree_celsius, engineeringUnitsRange: { low: 0, high: 200 } },
      minimumSamplingInterval: 50,
      value: {
        timestamped_get: () =>
          new DataValue({
            value: new Variant({ dataType: DataType.Double, value: this.temperature }),
            statusCode: this.status,
            sourceTimestamp: new Date(),
          }),
      },
    } as never);
    variable('Target', DataType.Double, 20);
    variable('Stirrer', DataType.Int16, 0);
    variable('Counter', DataType.UInt64, [1, 5]);
    variable('SerialNumber', DataType.String, this.options.serial ?? 'R-17');
    own.addVariable({
      ...{ componentOf: reactor, browseName: 'Phase', dataType: phaseType.nodeId },
      value: { dataType: DataType.Int32, value: 1 },
    } as never);
    own.addVariable({
      ...{ componentOf: reactor, browseName: 'Profile', dataType: DataType.Double, valueRank: 1 },
      value: {
        dataType: DataType.Double,
        arrayType: VariantArrayType.Array,
        value: new Float64Array([1, 2]),
      },
    } as never);
    own.addVariable({
      ...{
        componentOf: reactor,
        browseName: 'ReadOnly',
        dataType: DataType.Double,
        accessLevel: 'CurrentRead',
      },
      value: { dataType: DataType.Double, value: 1 },
    } as never);
    const dose = own.addMethod(reactor, {
      browseName: 'Dose',
      inputArguments: [{ name: 'volume', dataType: DataType.Double, description: 'in ml' }],
      outputArguments: [{ name: 'dosed', dataType: DataType.Double }],
    });
    dose.bindMethod((inputs, _, callback) => {
      const volume = Number(inputs[0]?.value);
      this.doses.push(volume);
      if (volume > 100) callback(null, { statusCode: StatusCodes.BadOutOfRange });
      // A volume below 0 is never answered.
      else if (volume >= 0) {
        const dosed = new Variant({ dataType: DataType.Double, value: volume });
        callback(null, { statusCode: StatusCodes.Good, outputArguments: [dosed] });
      }
    });
  }
}
