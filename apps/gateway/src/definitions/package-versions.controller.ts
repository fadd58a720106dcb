import { Controller, Delete, Get, Put, Req, Res } from '@nestjs/common';
import {
  definitionRequests as requests,
  noPackage,
  PackageActivation,
  packageInFolder,
  packageLimits,
  ServiceError,
  type DeletedPackageVersion,
  type LabRights,
  type PackageActivationRecord,
  type PackageVersionRecord,
  type PackageVersions,
  type Principal,
} from '@lab/contracts';
import type { StoredVersion } from '@lab/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorName, anyLab, Caller, labsFor, Needs, Rights } from '../access/index.js';
import { packageActivations } from '../examples/index.js';
import { packedMediaType, TakesPackage } from '../http/index.js';
import { EachTime } from '../idempotency/index.js';
import { found } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { PackageStore } from '../ports/index.js';
import {
  Action,
  Body,
  FromQuery,
  fromOrchestrator,
  Group,
  invalidQuery,
  JsonBody,
  Operation,
  pathText,
  queryParameter,
  record,
  type QueryValues,
} from '../routes/index.js';
import { piecesOf, ReceivedPackage } from './received-package.js';

const PackageName = pathText('package_name', { description: 'Name of the package.', example: 'color_lab' });
const Sha256 = pathText('sha256', {
  description: 'SHA-256 of the packed package, hexadecimal.',
  example: '95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66',
});

/** The handler reads the bytes from the request itself. */
const PackedBody = (): ParameterDecorator =>
  Body(
    { mediaType: packedMediaType, schema: { type: 'string', format: 'binary' }, required: true },
    () => undefined,
  );

interface Origin {
  commit: string | null;
  author: string | null;
  by: string | undefined;
}

const longestOrigin = 200;

const OriginQuery = (): ParameterDecorator =>
  FromQuery(
    [
      queryParameter('commit', 'Commit of the sources, for the record and the audit.', { type: 'string' }),
      queryParameter('author', 'Author of the commit, for the record and the audit.', { type: 'string' }),
      queryParameter('by', 'Person who uploads, while authentication is off.', { type: 'string' }),
    ],
    (values): Origin => ({
      commit: readOrigin(values, 'commit') ?? null,
      author: readOrigin(values, 'author') ?? null,
      by: readOrigin(values, 'by'),
    }),
  );

/** Versions of packages that are uploaded: stored by their hash, checked, and activated. */
@Group('Definitions')
@Controller('api')
export class PackageVersionsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly packages: PackageStore,
  ) {}

  @Needs('deployer', { lab: anyLab })
  @EachTime()
  @TakesPackage()
  @Operation(
    'Upload a version of a package',
    record('PackageVersionRecord', 'The version is there already.'),
    {
      description: `The body is a packed package (\`tar.gz\`) of at most ${packageLimits.packedBytes / 1024 ** 2} MiB, as \`svc pkg upload\` makes it. The service compares its hash and checks its definitions, its code and, if the laboratory demands one, its signature. It stores the version only if all is right, and activates nothing. The caller needs the role for each laboratory that the package concerns. The request can be repeated.`,
      status: 200,
      further: { 201: record('PackageVersionRecord', 'The version is stored.') },
      problems: [
        'not_found',
        'invalid',
        'payload_too_large',
        'unsupported_media_type',
        'store_unavailable',
        ...fromOrchestrator,
      ],
    },
  )
  @Put('packages/:package_name/:sha256')
  async upload(
    @PackageName() name: string,
    @Sha256() sha256: string,
    @OriginQuery() { commit, author, by }: Origin,
    @PackedBody() _body: undefined,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PackageVersionRecord> {
    request.auditDetail = { package: name, sha256, commit, author };
    requireAddress(name, sha256);
    const received = await ReceivedPackage.from(request, sha256);
    try {
      const uploaded = {
        ...{ package: name, sha256, size: received.size, commit, author },
        uploaded_at: new Date().toISOString(),
        uploaded_by: actorName(caller, by),
      };
      const isNew = await this.packages.add(uploaded, piecesOf(received.path));
      const deploy = labsFor(caller, 'deployer');
      const checked = await this.orchestrator
        .ask(requests.checkPackage, { name, sha256, deploy })
        .catch(async (error: unknown) => {
          // An upload that nobody has accepted counts for nothing. If this fails, too, a later upload removes it.
          await this.packages.remove(name, sha256).catch(() => undefined);
          throw error;
        });
      reply.code(isNew ? 201 : 200);
      const active = await this.packages.activation(name);
      return withActive(checked, active);
    } finally {
      await received.remove();
    }
  }

  @Needs('dry_runner', { lab: anyLab })
  @EachTime()
  @TakesPackage()
  @Operation(
    'Try out a version of a package',
    record('PackageActivationRecord', 'What the activation would change.'),
    {
      description:
        'The body is a packed package, as for an upload. The service checks it as an upload, says what its activation would change, and forgets it: nobody can activate it. The caller needs the role for each laboratory that the package concerns.',
      problems: [
        'invalid',
        'payload_too_large',
        'unsupported_media_type',
        'store_unavailable',
        ...fromOrchestrator,
      ],
    },
  )
  @Action('packages/:package_name/:sha256/dry-run')
  async tryOut(
    @PackageName() name: string,
    @Sha256() sha256: string,
    @PackedBody() _body: undefined,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<PackageActivationRecord> {
    request.auditDetail = { package: name, sha256, dry_run: true };
    requireAddress(name, sha256);
    const received = await ReceivedPackage.from(request, sha256);
    try {
      const stored = await this.packages.addForDryRun(sha256, received.size, piecesOf(received.path));
      try {
        const labs = labsFor(caller, 'dry_runner');
        return await this.orchestrator.ask(requests.tryUpload, { name, sha256, labs });
      } finally {
        // If this fails, a later upload removes it.
        await this.packages.removeDryRun(stored).catch(() => undefined);
      }
    } finally {
      await received.remove();
    }
  }

  @Needs('deployer', { lab: anyLab })
  @EachTime()
  @Operation(
    'Activate a version of a package',
    record('PackageActivationRecord', 'The version is active, and its devices are usable.'),
    {
      description:
        'The service loads the version: it starts the devices that changed, and gives new work the new definitions and code. Accepted work keeps those that it was accepted with. Laboratories and protocols that are new in the package are loaded, too. If a device does not become usable within 95 s, the service goes back to the version before and says why. With `drain`, the answer is 202 while work continues, and the version becomes active when it ends. With `dry_run`, the service only says what would change.',
      status: 200,
      further: {
        202: record('PackageActivationRecord', 'The version becomes active when work has ended.'),
      },
      problems: ['not_found', 'wrong_state', 'device_unavailable', ...fromOrchestrator],
    },
  )
  @Action('packages/:package_name/activate')
  async activate(
    @PackageName() name: string,
    @JsonBody(PackageActivation, packageActivations) given: PackageActivation,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PackageActivationRecord> {
    const { by, dry_run: dry = false, ...activation } = given;
    const { sha256, expect, commit = null, author = null } = activation;
    request.auditDetail = { package: name, sha256, expect, commit, author, dry_run: dry };
    const asked = { name, activation, deploy: labsFor(caller, 'deployer') };
    if (dry) return this.orchestrator.ask(requests.tryPackage, asked);
    const made = await this.orchestrator.ask(requests.activatePackage, {
      ...asked,
      by: actorName(caller, by),
    });
    reply.code(made.state === 'draining' ? 202 : 200);
    return made;
  }

  @Needs('deployer', { lab: anyLab })
  @Operation('Delete a version of a package', record('DeletedPackageVersion', 'The version is deleted.'), {
    description:
      'The answer is 409, and names everything that needs the version: it is active, was active before, or waits; or work that is not over, or can be resumed, was accepted with code that no other version has. Records keep the hash, the version and the commit of the code that they ran. The caller needs the role for each laboratory that the version concerned when it was uploaded.',
    problems: ['not_found', 'wrong_state', ...fromOrchestrator],
  })
  @Delete('packages/:package_name/:sha256')
  delete(
    @PackageName() name: string,
    @Sha256() sha256: string,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<DeletedPackageVersion> {
    request.auditDetail = { package: name, sha256 };
    requireAddress(name, sha256);
    const deploy = labsFor(caller, 'deployer');
    return this.orchestrator.ask(requests.deletePackage, { name, sha256, deploy, by: caller.name });
  }

  @Needs('viewer', { lab: anyLab })
  @Operation(
    'List the versions of a package',
    record('PackageVersions', 'The versions, newest first, and which one is active.'),
    { problems: ['not_found', 'store_unavailable', ...fromOrchestrator] },
  )
  @Get('packages/:package_name/versions')
  async versions(@PackageName() name: string, @Rights() rights: LabRights): Promise<PackageVersions> {
    const [stored, active, { packages }] = await Promise.all([
      this.packages.versions(name),
      this.packages.activation(name),
      this.orchestrator.ask(requests.listPackages, {}),
    ]);
    const known = packages.find((each) => each.name === name);
    const labs = new Set([...stored.flatMap((each) => each.labs), ...(known?.labs ?? [])]);
    const isSeen = rights.see === 'all' || rights.see.some((lab) => labs.has(lab));
    const isThere = stored.length > 0 || known !== undefined;
    found(isThere && isSeen ? name : undefined, 'package', name);
    return {
      package: name,
      active: active?.sha256 ?? (known === undefined ? noPackage : packageInFolder),
      previous: active?.previous ?? noPackage,
      active_since: active?.since ?? null,
      activated_by: active?.by ?? null,
      waiting: active?.waiting ?? null,
      versions: stored.map((each) => withActive(shown(each), active)),
    };
  }
}

function shown(version: StoredVersion): PackageVersionRecord {
  return { ...version, active: false, active_since: null };
}

function withActive(
  version: PackageVersionRecord,
  active: { sha256: string | null; since: string | null } | undefined,
): PackageVersionRecord {
  const isActive = active !== undefined && active.sha256 === version.sha256;
  return { ...version, active: isActive, active_since: isActive ? active.since : null };
}

/** @throws ServiceError `invalid` */
function requireAddress(name: string, sha256: string): void {
  const faults = [
    ...(/^[\w-]{1,100}$/.test(name)
      ? []
      : [{ path: 'package_name', code: 'name', message: 'is not the name of a package' }]),
    ...(/^[0-9a-f]{64}$/.test(sha256)
      ? []
      : [{ path: 'sha256', code: 'sha256', message: 'is no SHA-256 in lower-case hexadecimal' }]),
  ];
  if (faults.length > 0) throw new ServiceError('invalid', 'The address names no version.', { faults });
}

/** @throws ServiceError `invalid` */
function readOrigin(values: QueryValues, name: string): string | undefined {
  const value = values[name];
  // eslint-disable-next-line no-control-regex -- it is shown in tables
  if (value === undefined || (value.length <= longestOrigin && !/[\u0000-\u001f\u007f]/.test(value)))
    return value === '' ? undefined : value;
  throw invalidQuery([
    { path: `?${name}`, code: 'text', message: `has at most ${longestOrigin} visible characters` },
  ]);
}
