import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Namespace, Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/shared/paths.js';
import { services } from './compose.js';
import { parseAll, parseYaml } from './yaml.js';

const folder = join(root, 'deploy', 'kustomize');
const overlays = ['base', 'single', 'high-availability'];
const text = (path: string): string => readFileSync(join(folder, path), 'utf8');

interface Kustomization {
  resources: string[];
  patches?: { path: string }[];
  replicas?: { name: string; count: number }[];
  images?: { name: string }[];
  configMapGenerator?: { name: string; files?: string[] }[];
}

interface Container {
  name: string;
  image: string;
  env: { name: string; value: string }[];
  securityContext: object;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  livenessProbe?: object;
  readinessProbe?: object;
}

interface PodSpec {
  securityContext: object;
  automountServiceAccountToken: boolean;
  containers: [Container];
  volumes: { name: string; secret?: { secretName: string } }[];
  affinity?: object;
}

interface Resource {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: PodSpec; metadata: { labels: Record<string, string> } } };
}

const kustomization = (overlay: string): Kustomization =>
  parseYaml(text(`${overlay}/kustomization.yaml`)) as Kustomization;
const filesOf = (overlay: string): string[] => {
  const { resources, patches = [], configMapGenerator = [] } = kustomization(overlay);
  const generated = configMapGenerator.flatMap(({ files = [] }) => files);
  return [...resources, ...patches.map(({ path }) => path), ...generated];
};
const resourcesIn = (path: string): Resource[] => parseAll(text(path)) as Resource[];

/** What the models of Kubernetes 1 know. */
const models: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  ...{ Deployment, StatefulSet, Job, NetworkPolicy, PodDisruptionBudget, Namespace, Service },
};
const validate = (resource: Resource): void => {
  const Model = models[resource.kind];
  if (Model === undefined) throw new Error(`there is no model for ${resource.kind}`);
  new Model(resource as never).validate();
};

const base = kustomization('base').resources.flatMap((file) => resourcesIn(`base/${file}`));
const workloads = base.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind));

describe('the resources for Kubernetes', () => {
  it('are files that exist, and every file is used', () => {
    for (const overlay of overlays) {
      const named = filesOf(overlay).filter((path) => !path.startsWith('..'));
      const there = readdirSync(join(folder, overlay)).filter((name) => name !== 'kustomization.yaml');
      expect([overlay, named.sort()]).toEqual([overlay, there.sort()]);
      for (const path of filesOf(overlay).filter((each) => each.startsWith('..')))
        expect(readdirSync(normalize(join(folder, overlay, path)))).toContain('kustomization.yaml');
    }
  });

  it('keep to the models of Kubernetes', () => {
    const all = [...base, ...resourcesIn('high-availability/disruption.yaml')];
    expect(all.map(({ kind }) => kind)).toEqual(expect.arrayContaining(Object.keys(models)));
    for (const resource of all) expect(() => validate(resource)).not.toThrow();
  });

  it('would be refused with a wrong value', () => {
    const wrong = structuredClone(workloads[0]) as unknown as {
      spec: { template: { spec: { containers: string } } };
    };
    wrong.spec.template.spec.containers = 'two';
    expect(() => validate(wrong as unknown as Resource)).toThrow('must be array');
  });

  it('run every process without rights, on a file system that it cannot write, with the default profile of system calls', () => {
    for (const { metadata, spec } of workloads) {
      const { securityContext, automountServiceAccountToken, containers } = spec.template.spec;
      expect([metadata.name, securityContext, automountServiceAccountToken]).toEqual([
        metadata.name,
        expect.objectContaining({
          runAsNonRoot: true,
          runAsUser: 10_001,
          seccompProfile: { type: 'RuntimeDefault' },
        }),
        false,
      ]);
      for (const container of containers)
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('mount the secrets of each process as files, the same that compose gives it and the keys of the bucket', () => {
    for (const { spec } of workloads) {
      const [{ name, env }] = spec.template.spec.containers;
      const isSecret = ([variable = '']: string[]): boolean => /_FILE$|^SVC_HTTPS/.test(variable);
      const here = env.map((each) => [each.name, each.value]).filter(isSecret);
      const there = Object.entries(services.find(([service]) => service === name)?.[1].environment ?? {});
      const bucket = name === 'gateway' ? ['access-key-id', 'secret-access-key'] : [];
      const keys = bucket.map((each) => [
        `SVC_S3_${each.toUpperCase().replaceAll('-', '_')}_FILE`,
        `/run/secrets/svc/s3-${each}`,
      ]);
      expect(here.sort()).toEqual([...there.filter(isSecret), ...keys].sort());
      const secrets = spec.template.spec.volumes.flatMap(({ secret }) => secret?.secretName ?? []);
      expect(secrets).toEqual(name === 'gateway' ? ['svc-gateway', 'svc-https'] : [`svc-${name}`]);
    }
  });

  it('let nothing in or out but what a policy names for a process', () => {
    const policies = base.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as {
      spec: { podSelector: object; policyTypes: string[]; ingress?: object; egress?: object };
    }[];
    const [first, ...others] = policies;
    expect(first?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    expect(others.filter(({ spec }) => spec.ingress !== undefined)).toHaveLength(1);
  });

  it('ask the gateway whether it lives, also when no orchestrator leads', () => {
    const [gateway] = workloads.filter(({ metadata }) => metadata.name === 'svc-gateway');
    const [container] = gateway?.spec.template.spec.containers ?? [];
    for (const probe of [container?.livenessProbe, container?.readinessProbe])
      expect(probe).toMatchObject({ httpGet: { path: '/health/live', scheme: 'HTTPS' } });
  });
});

describe('the overlay for high availability', () => {
  const { replicas = [], patches = [] } = kustomization('high-availability');

  it('runs two gateways and two orchestrators, each on a computer of its own', () => {
    expect(replicas).toEqual(['gateway', 'orchestrator'].map((name) => ({ name: `svc-${name}`, count: 2 })));
    for (const { path } of patches) {
      const [patch] = resourcesIn(`high-availability/${path}`);
      const target = workloads.find(
        ({ kind, metadata }) => kind === patch?.kind && metadata.name === patch.metadata.name,
      );
      const labels = target?.spec.template.metadata.labels;
      expect(patch?.spec.template.spec.affinity).toEqual({
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
          ],
        },
      });
    }
    expect(patches).toHaveLength(2);
  });

  it('keeps one of each while computers are maintained', () => {
    const budgets = resourcesIn('high-availability/disruption.yaml') as unknown as {
      metadata: { name: string };
      spec: { minAvailable: number };
    }[];
    expect(budgets.map(({ metadata, spec }) => [metadata.name, spec.minAvailable])).toEqual([
      ['svc-gateway', 1],
      ['svc-orchestrator', 1],
    ]);
  });

  it('names an image of a registry for each image that a process has', () => {
    const used = [
      ...new Set(workloads.flatMap(({ spec }) => spec.template.spec.containers.map(({ image }) => image))),
    ];
    for (const overlay of ['single', 'high-availability'])
      expect((kustomization(overlay).images ?? []).map(({ name }) => name).sort()).toEqual(used.sort());
  });
});
