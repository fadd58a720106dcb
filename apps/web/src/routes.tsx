import {
  scheduleViewOf,
  usageKinds,
  workFilterOf,
  workKinds,
  type UsageKind,
  type WorkKind,
} from '@lab/web-model';
import { createRootRouteWithContext, createRoute, createRouter } from '@tanstack/react-router';
import { arrive } from './lab/index.js';
import type { LabelSearch } from './labels/index.js';
import { AttentionItem, AttentionList, Missing, Now } from './pages/index.js';
import { Broken, later } from './parts/index.js';
import { Shell } from './shell/index.js';

const Access = later(async () => (await import('./access/index.js')).Access);
const Bench = later(async () => (await import('./bench/index.js')).Bench);
const BenchDevice = later(async () => (await import('./bench/index.js')).BenchDevice);
const BenchResource = later(async () => (await import('./bench/index.js')).BenchResource);
const Campaign = later(async () => (await import('./work/index.js')).Campaign);
const Computer = later(async () => (await import('./computers/index.js')).Computer);
const Computers = later(async () => (await import('./computers/index.js')).Computers);
const Device = later(async () => (await import('./equipment/index.js')).Device);
const Devices = later(async () => (await import('./equipment/index.js')).Devices);
const Labels = later(async () => (await import('./labels/index.js')).Labels);
const Queue = later(async () => (await import('./queue/index.js')).Queue);
const Resource = later(async () => (await import('./resources/index.js')).Resource);
const Resources = later(async () => (await import('./resources/index.js')).Resources);
const Run = later(async () => (await import('./work/index.js')).Run);
const Schedule = later(async () => (await import('./schedule/index.js')).Schedule);
const Submit = later(async () => (await import('./submit/index.js')).Submit);
const Task = later(async () => (await import('./work/index.js')).Task);
const Usage = later(async () => (await import('./usage/index.js')).Usage);
const WorkList = later(async () => (await import('./work/index.js')).WorkList);

interface Context {
  /** undefined: there is no session to end. */
  onSignOut: (() => void) | undefined;
}

const root = createRootRouteWithContext<Context>()({
  component: function Root() {
    return <Shell onSignOut={root.useRouteContext().onSignOut} />;
  },
  notFoundComponent: Missing,
});
const now = createRoute({ getParentRoute: () => root, path: '/', component: () => <Now /> });
const wall = createRoute({ getParentRoute: () => root, path: '/wall', component: () => <Now wall /> });
const attention = createRoute({ getParentRoute: () => root, path: '/attention', component: AttentionList });
const devices = createRoute({ getParentRoute: () => root, path: '/devices', component: Devices });
const device = createRoute({
  getParentRoute: () => root,
  path: '/devices/$lab/$name',
  component: function DevicePage() {
    return <Device {...device.useParams()} />;
  },
});
const computers = createRoute({ getParentRoute: () => root, path: '/computers', component: Computers });
const computer = createRoute({
  getParentRoute: () => root,
  path: '/computers/$computer',
  component: function ComputerPage() {
    return <Computer {...computer.useParams()} />;
  },
});
const campaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/$name',
  component: function CampaignPage() {
    return <Campaign name={campaign.useParams().name} />;
  },
});
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$name',
  component: function RunPage() {
    return <Run name={run.useParams().name} />;
  },
});
const runTask = createRoute({
  getParentRoute: () => root,
  path: '/runs/$name/tasks/$task',
  component: function RunTaskPage() {
    const { name, task } = runTask.useParams();
    return <Task name={task} run={name} />;
  },
});
const task = createRoute({
  getParentRoute: () => root,
  path: '/tasks/$name',
  component: function TaskPage() {
    return <Task name={task.useParams().name} run={undefined} />;
  },
});
const schedule = createRoute({
  getParentRoute: () => root,
  path: '/schedule',
  validateSearch: scheduleViewOf,
  component: function SchedulePage() {
    return <Schedule {...schedule.useSearch()} />;
  },
});
const access = createRoute({ getParentRoute: () => root, path: '/access', component: Access });
/** Selects the records of one laboratory. */
const labSearch = ({ lab }: Record<string, unknown>): { lab?: string } =>
  typeof lab === 'string' ? { lab } : {};
const queue = createRoute({
  getParentRoute: () => root,
  path: '/queue',
  validateSearch: labSearch,
  component: function QueuePage() {
    return <Queue lab={queue.useSearch().lab} />;
  },
});
const resources = createRoute({
  getParentRoute: () => root,
  path: '/resources',
  validateSearch: labSearch,
  component: function ResourcesPage() {
    return <Resources lab={resources.useSearch().lab} />;
  },
});
const resource = createRoute({
  getParentRoute: () => root,
  path: '/resources/$name',
  component: function ResourcePage() {
    return <Resource name={resource.useParams().name} />;
  },
});
const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: ({ of: kind }: Record<string, unknown>): { of?: UsageKind } =>
    usageKinds.some((each) => each === kind) ? { of: kind as UsageKind } : {},
  component: function UsagePage() {
    return <Usage kind={usage.useSearch().of} />;
  },
});
const labels = createRoute({
  getParentRoute: () => root,
  path: '/labels',
  validateSearch: ({ lab, device, resource }: Record<string, unknown>): LabelSearch => ({
    ...(typeof lab === 'string' ? { lab } : {}),
    ...(typeof device === 'string' ? { device } : {}),
    ...(typeof resource === 'string' ? { resource } : {}),
  }),
  component: function LabelsPage() {
    return <Labels {...labels.useSearch()} />;
  },
});
const bench = createRoute({
  getParentRoute: () => root,
  path: '/bench',
  validateSearch: labSearch,
  component: function BenchPage() {
    return <Bench lab={bench.useSearch().lab} />;
  },
});
const benchDevice = createRoute({
  getParentRoute: () => root,
  path: '/bench/devices/$lab/$name',
  component: function BenchDevicePage() {
    return <BenchDevice {...benchDevice.useParams()} />;
  },
});
const benchResource = createRoute({
  getParentRoute: () => root,
  path: '/bench/resources/$name',
  component: function BenchResourcePage() {
    return <BenchResource name={benchResource.useParams().name} />;
  },
});
const work = createRoute({
  getParentRoute: () => root,
  path: '/work',
  validateSearch: workFilterOf,
  component: function WorkPage() {
    return <WorkList {...work.useSearch()} />;
  },
});
const submit = createRoute({
  getParentRoute: () => root,
  path: '/submit',
  validateSearch: ({ kind, from }: Record<string, unknown>): { kind?: WorkKind; from?: string } => ({
    ...(workKinds.some((each) => each === kind) ? { kind: kind as WorkKind } : {}),
    ...(typeof from === 'string' ? { from } : {}),
  }),
  component: function SubmitPage() {
    return <Submit {...submit.useSearch()} />;
  },
});
const attentionItem = createRoute({
  getParentRoute: () => root,
  path: '/attention/$id',
  component: function Item() {
    return <AttentionItem id={attentionItem.useParams().id} />;
  },
});

// The router reads the address when it is made.
arrive();

export const router = createRouter({
  routeTree: root.addChildren([
    now,
    wall,
    attention,
    attentionItem,
    devices,
    device,
    computers,
    computer,
    campaign,
    run,
    runTask,
    task,
    submit,
    schedule,
    work,
    access,
    queue,
    resources,
    resource,
    usage,
    labels,
    bench,
    benchDevice,
    benchResource,
  ]),
  context: { onSignOut: undefined },
  defaultErrorComponent: Broken,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
