"""Shapes of the REST interface. `npm run docs:reference` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class AgentPackageRecord(TypedDict):
    """A package of the agent for instrument PCs, which this service offers."""

    name: str
    """Name of the file."""
    version: str
    """Version of the agent."""
    platform: str
    """Operating system and processor."""
    size: int
    """Size in bytes."""
    sha256: str
    """SHA-256 of the file, hexadecimal."""
    url: str
    """Address of the file. It needs no token."""


class AgentRecordProtocol(TypedDict):
    """Versions of the protocol between agents and orchestrator that the latest process of the agent speaks; null:
    not known. Agents and orchestrator work together when they have a version in common."""

    min: int
    """Oldest version."""
    max: int
    """Newest version."""


class AgentRecordLedger(TypedDict):
    """Whether the agent can write its ledger, which it must do before it acts; null: not known."""

    writable: bool
    """False: the agent refuses tasks and effects."""
    detail: str | None
    """What is wrong with the ledger."""


class AgentRecordDrain(TypedDict):
    """Who drains the computer and why; null: nobody does. No task starts on the devices of a drained computer."""

    by: str
    """Person who drains the computer."""
    reason: str
    """Reason."""
    since: str
    """When the drain began."""
    until: str | None
    """When it ends by itself; null: when a person resumes the computer."""
    drained: bool
    """True: no task runs on the computer, and none uses one of its devices."""
    used_by: list[str]
    """Tasks that run on the computer or use one of its devices. They continue to their end."""
    kept_by: list[str]
    """Runs that keep a device of the computer between two tasks. A sample may be in it. Their next task waits for
    the end of the drain."""


class AgentRecordDevicesItem(TypedDict):
    lab: str
    """Name of the laboratory."""
    name: str
    """Name of the device."""
    state: Literal["disabled", "initializing", "idle", "busy", "aborting", "uncertain", "restarting", "faulted", "unreachable"]
    detail: str | None
    """What is wrong."""


class AgentRecord(TypedDict):
    """The agent of a computer, as the leading orchestrator knows it at this moment."""

    computer: str
    """Name of the computer."""
    labs: list[str]
    """The loaded laboratories that have this computer."""
    state: Literal["online", "suspect", "offline", "draining", "incompatible"]
    """State of the connection to the agent. An agent that was never heard is `offline`."""
    reason: str | None
    """Why the agent is not online; null when it is."""
    incarnation: int | None
    """Number of the latest process of the agent; null: it has never registered."""
    version: str | None
    """Version of the latest process of the agent; null: not known."""
    protocol: AgentRecordProtocol | None
    """Versions of the protocol between agents and orchestrator that the latest process of the agent speaks; null:
    not known. Agents and orchestrator work together when they have a version in common."""
    platform: NotRequired[str | None]
    """Operating system and processor of the computer; null: not known."""
    address: str | None
    """Address of the computer in the lab file; null: no loaded laboratory has it."""
    last_heard_at: str | None
    """When the agent was last heard; null: never since the present orchestrator became the leader."""
    clock_offset_ms: float | None
    """Milliseconds by which the clock of the computer is ahead of the clock of the orchestrator; null: not known."""
    ledger: AgentRecordLedger | None
    """Whether the agent can write its ledger, which it must do before it acts; null: not known."""
    drain: AgentRecordDrain | None
    """Who drains the computer and why; null: nobody does. No task starts on the devices of a drained computer."""
    devices: list[AgentRecordDevicesItem]
    """Devices of loaded laboratories that the agent runs."""
    tasks: list[str]
    """Tasks that run on the computer or are on their way to it."""


class AttemptRecordCallsLastConfirmed(TypedDict):
    device: str
    """`<lab>.<device>`."""
    function: str
    """Function of the device."""
    call_id: str
    """Unique identifier of the call."""


class AttemptRecordCallsInDoubt(TypedDict):
    device: str
    """`<lab>.<device>`."""
    function: str
    """Function of the device."""
    call_id: str
    """Unique identifier of the call."""
    arguments: NotRequired[dict[str, Any]]
    """Arguments of the call. A secret one is masked, and long ones are cut. Absent: not recorded."""


class AttemptRecordCalls(TypedDict):
    """What the attempt did to devices, as its agent reported at the end; null: not known."""

    effects: int
    """Number of calls of kind `effect` that began."""
    last_confirmed: AttemptRecordCallsLastConfirmed | None
    in_doubt: AttemptRecordCallsInDoubt | None


class AttemptRecordRuntime(TypedDict):
    """What really executed the code; null: not known."""

    name: Literal["node", "python"]
    """What executes the code."""
    version: str | None
    """Version of Node or Python, as the process of the code said; null: it did not say."""
    environment: str | None
    """SHA-256 of the lock of the libraries from PyPI; null: the code has none."""


class AttemptRecord(TypedDict):
    """One execution of a task."""

    id: str
    """Unique identifier of the attempt."""
    task_run_id: str
    """Id of the task run."""
    task: str
    """Name of the task."""
    protocol_run: str | None
    """Protocol run that the task belongs to; null for an on-demand task."""
    number: int
    """Number of the attempt within the task, from 1."""
    state: Literal["dispatching", "uncertain", "running", "cancelling", "completed", "failed", "cancelled", "never_ran", "needs_attention"]
    reason: Reason | None
    computer: str
    """Computer that the attempt was sent to."""
    devices: dict[str, DeviceReference]
    """Device handle to the device that the attempt had."""
    calls: AttemptRecordCalls | None
    """What the attempt did to devices, as its agent reported at the end; null: not known."""
    runtime: AttemptRecordRuntime | None
    """What really executed the code; null: not known."""
    deadline_at: str | None
    """When the service stops the attempt, and the attempt has failed; null: there is no limit."""
    created_at: str
    """When the orchestrator decided to start the attempt."""
    ended_at: str | None
    """When its process ended, by its agent; null: it has not ended, or nobody knows when."""


class AttentionClaimRequest(TypedDict):
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""
    take_over: NotRequired[bool]
    """Whether to take the claim over from another person."""


class AttentionRecordChoicesItem(TypedDict):
    action: Literal["completed", "failed", "retry", "idle", "lost", "keep_waiting", "cancel", "acknowledge"]
    effect: str
    """What the decision leads to."""


class AttentionRecordResolution(TypedDict):
    action: Literal["completed", "failed", "retry", "idle", "lost", "keep_waiting", "cancel", "acknowledge", None]
    """The decision; null: no decision was needed any more."""
    by: str
    """Person who decided; `service` when the question resolved itself."""
    note: str | None
    """Why."""


class AttentionRecordClaim(TypedDict):
    """Who is deciding the question at this moment. A claim informs, and keeps nobody from deciding. Null: nobody
    has said so."""

    by: str
    """Person who is deciding."""
    since: str
    """When the person began."""
    until: str
    """When the claim ends, unless the person renews it."""


class AttentionRecord(TypedDict):
    """A question that only a person can settle, or a warning that closes when its cause ends."""

    id: str
    """Unique identifier."""
    kind: Literal["task", "device", "agent", "process"]
    state: Literal["open", "resolved"]
    subject: str
    """What the question is about: `<protocol run>/<task>` or an on-demand task, `<lab>.<device>`, a computer, or a
    process as `<service>/<name>`."""
    reason: Reason
    actions: list[Literal["completed", "failed", "retry", "idle", "lost", "keep_waiting", "cancel", "acknowledge"]]
    """Decisions that a person may take; empty for a warning that asks for none, and once the question is resolved."""
    choices: list[AttentionRecordChoicesItem]
    """What each decision in `actions` leads to."""
    look_at: list[str]
    """What to look at before a decision; empty once the question is resolved."""
    protocol_run: str | None
    """Protocol run of the task in question."""
    task: str | None
    """Name of the task in question."""
    attempt: int | None
    """Number of the attempt in question."""
    device: str | None
    """`<lab>.<device>`."""
    computer: str | None
    """Computer of the agent or device in question; for a process, `<service>/<name>`."""
    known: dict[str, Any]
    """What is known: devices, resources, the last confirmed call, calls in doubt, running tasks, measured times."""
    opened_at: str
    """When the service opened the question."""
    resolved_at: str | None
    """When the question was resolved."""
    resolution: AttentionRecordResolution | None
    claim: AttentionRecordClaim | None
    """Who is deciding the question at this moment. A claim informs, and keeps nobody from deciding. Null: nobody
    has said so."""


class AttentionResolution(TypedDict):
    action: Literal["completed", "failed", "retry", "idle", "lost", "keep_waiting", "cancel", "acknowledge"]
    """The decision."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""
    note: NotRequired[str]
    """Reason, for the audit."""
    output_parameters: NotRequired[dict[str, Any]]
    """For a completed task: its output parameters. The service checks them against the task type."""
    output_resources: NotRequired[dict[str, dict[str, Any]]]
    """For a completed task: the resources as the task left them. A resource that is absent is as the task got it."""


class AuditRecord(TypedDict):
    """An act of a person. The service keeps it for ever."""

    id: str
    """Unique identifier of the record."""
    seq: int
    """Number of the entry, from 1, without gaps."""
    at: str
    """When the person acted."""
    by: str
    """Person who acted."""
    kind: Literal["local", "token", "oidc", None]
    """How the person was identified; null: the act did not come through the gateway."""
    action: str
    """What the person did."""
    subject: str
    """The subject of the act."""
    detail: dict[str, Any]
    """Details of the act."""
    request_id: str | None
    """Id of the request in the log."""
    ip: str | None
    """Address that the request came from."""
    hash: str
    """SHA-256 over the hash of the entry before and this entry, hexadecimal."""


class AuditVerificationBroken(TypedDict):
    seq: int
    """Number of the entry."""
    id: str | None
    """Id of the entry; null when the entry is missing."""
    reason: str
    """What is wrong with the entry."""


class AuditVerification(TypedDict):
    entries: int
    """Number of entries that were checked, a broken entry included."""
    broken: AuditVerificationBroken | None
    head: str
    """Hash of the last sound entry."""


class CampaignChange(TypedDict):
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. The scheduler uses the new priority at its next
    decision. Running tasks are not interrupted."""
    max_protocol_runs: NotRequired[int]
    """Number of protocol runs in all, at least the number of runs that have begun. 0: no limit; if
    `protocol_run_parameters` lists the runs, the campaign waits for further entries."""
    max_concurrent_protocol_runs: NotRequired[int]
    """Most protocol runs of the campaign that may run at the same time. Default: 1."""
    global_parameters: NotRequired[dict[str, dict[str, Any]]]
    """Parameters of every run that has not begun: task name to parameter name to value. Parameters that are not
    named stay as they are."""
    protocol_run_parameters: NotRequired[list[dict[str, dict[str, Any]]]]
    """The whole list of parameters for each run. It replaces the present list. The entries of runs that have begun
    must stay as they are. An optimizer must accept the other entries. With `max_protocol_runs` 0 the list can grow
    while the campaign runs."""


class CampaignRecord(TypedDict):
    id: str
    """Unique identifier of the record."""
    owner: str
    """Label of the owner of the work."""
    priority: int
    """When work competes, the higher priority goes first."""
    reason: Reason | None
    meta: dict[str, Any]
    """Free object kept with the record."""
    definition_hash: str
    """Content hash of the definitions that the work was accepted with."""
    cancel_requested_at: str | None
    """When a person asked to cancel the work that has not stopped yet; else null."""
    created_at: str
    """When the service accepted the work."""
    started_at: str | None
    """When the first part of the work started."""
    ended_at: str | None
    """When the work reached its last state."""
    archived_at: str | None
    """When the work, or the work that it belongs to, was archived; null: it is not archived."""
    failure_policy: dict[str, TaskFailurePolicy]
    """Task name to what the submission says about its failures. It overrides the protocol."""
    paused_at: str | None
    """When a person or a failed run paused it; null: it is not paused."""
    estimated_completion: str | None
    """When the work is expected to end; null: not known, or the work has ended."""
    name: str
    """Unique name."""
    protocol: str
    """Protocol type."""
    state: Literal["created", "running", "paused", "completed", "failed", "cancelled", "needs_attention"]
    max_protocol_runs: int
    """Number of protocol runs; 0: no limit."""
    max_concurrent_protocol_runs: int
    """Most protocol runs that may run at the same time."""
    optimize: bool
    """True: an optimizer proposes parameters."""
    optimizer_ip: str
    """Address of the computer of the optimizer."""
    optimizer: KeptOptimizer | None
    global_parameters: dict[str, dict[str, Any]]
    """Task name to parameter name to value."""
    on_run_failure: Literal["stop", "continue", "pause"]
    """What the service does when a run has failed."""
    max_failures: int | None
    """The campaign fails when more runs than this have failed; null: no limit."""
    protocol_runs_started: int
    """Protocol runs that have begun."""
    protocol_runs_completed: int
    """Protocol runs that have completed."""
    protocol_runs_failed: int
    """Protocol runs that have failed."""
    protocol_run_parameters: list[dict[str, dict[str, Any]]] | None
    """Parameters for each run, as they were submitted."""


class CampaignResumption(TypedDict):
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""
    optimizer_overrides: NotRequired[dict[str, Any]]
    """Settings of the optimizer. They override the settings of the submission and all later changes. The inputs,
    outputs and constraints of the optimizer cannot be changed any more."""


class CampaignSubmission(TypedDict):
    name: str
    """Unique name of the campaign."""
    protocol: str
    """Type name of the protocol to run."""
    owner: NotRequired[str]
    """Label of the owner of the work. Default: empty."""
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. Default: 0."""
    max_protocol_runs: int
    """Number of protocol runs; 0: no limit."""
    max_concurrent_protocol_runs: NotRequired[int]
    """Most protocol runs of the campaign that may run at the same time. Default: 1."""
    optimize: NotRequired[bool]
    """True: the optimizer of the protocol proposes dynamic parameters for each run. They override the parameters
    that are given here. Default: false."""
    optimizer_ip: NotRequired[str]
    """Address of the computer of the optimizer. Default: 127.0.0.1."""
    global_parameters: NotRequired[dict[str, dict[str, Any]]]
    """Parameters of every run."""
    protocol_run_parameters: NotRequired[list[dict[str, dict[str, Any]]]]
    """Parameters for each run; they override the global ones. The list has exactly `max_protocol_runs` entries. An
    empty list with `max_protocol_runs` 0 makes a campaign to which changes add the runs. With `optimize` it may
    have fewer, and an entry with all inputs of the optimizer is the trial of its run."""
    failure_policy: NotRequired[dict[str, TaskFailurePolicy]]
    """Task name to what the service does about its failures. It overrides the protocol."""
    resume: NotRequired[bool]
    """True: resumes the campaign of this name that failed or was cancelled. It keeps its first submission and its
    completed tasks. Default: false."""
    on_run_failure: NotRequired[Literal["stop", "continue", "pause"]]
    """When a run has failed: `stop` fails the campaign, `continue` starts the next run, `pause` waits for a
    person. Default: `stop`."""
    max_failures: NotRequired[int]
    """The campaign fails when more runs than this have failed. Default: no limit."""
    meta: NotRequired[dict[str, Any]]
    """Free object. Its field `optimizer_overrides` overrides the arguments and the runtime parameters of the
    optimizer. When a campaign is resumed, new overrides take precedence over all earlier values."""


class CampaignSummary(TypedDict):
    id: str
    """Unique identifier of the record."""
    owner: str
    """Label of the owner of the work."""
    priority: int
    """When work competes, the higher priority goes first."""
    reason: Reason | None
    meta: dict[str, Any]
    """Free object kept with the record."""
    definition_hash: str
    """Content hash of the definitions that the work was accepted with."""
    cancel_requested_at: str | None
    """When a person asked to cancel the work that has not stopped yet; else null."""
    created_at: str
    """When the service accepted the work."""
    started_at: str | None
    """When the first part of the work started."""
    ended_at: str | None
    """When the work reached its last state."""
    archived_at: str | None
    """When the work, or the work that it belongs to, was archived; null: it is not archived."""
    failure_policy: dict[str, TaskFailurePolicy]
    """Task name to what the submission says about its failures. It overrides the protocol."""
    paused_at: str | None
    """When a person or a failed run paused it; null: it is not paused."""
    estimated_completion: str | None
    """When the work is expected to end; null: not known, or the work has ended."""
    name: str
    """Unique name."""
    protocol: str
    """Protocol type."""
    state: Literal["created", "running", "paused", "completed", "failed", "cancelled", "needs_attention"]
    max_protocol_runs: int
    """Number of protocol runs; 0: no limit."""
    max_concurrent_protocol_runs: int
    """Most protocol runs that may run at the same time."""
    optimize: bool
    """True: an optimizer proposes parameters."""
    optimizer_ip: str
    """Address of the computer of the optimizer."""
    optimizer: KeptOptimizer | None
    global_parameters: dict[str, dict[str, Any]]
    """Task name to parameter name to value."""
    on_run_failure: Literal["stop", "continue", "pause"]
    """What the service does when a run has failed."""
    max_failures: int | None
    """The campaign fails when more runs than this have failed; null: no limit."""
    protocol_runs_started: int
    """Protocol runs that have begun."""
    protocol_runs_completed: int
    """Protocol runs that have completed."""
    protocol_runs_failed: int
    """Protocol runs that have failed."""


class CodeRecordOriginsItem(TypedDict):
    package: str
    """Name of the package."""
    version: str | None
    """Version in its `package.json`; null: none is given."""
    commit: str | None
    """Git commit that was checked out; null: none is known."""
    modified: bool | None
    """Whether files of the package differed from the commit; null: it is not known."""
    loaded_at: str
    """When the service first read the code from this version."""


class CodeRecord(TypedDict):
    hash: str
    """Content hash of the code."""
    text: str
    """The code: a JavaScript module."""
    origins: list[CodeRecordOriginsItem]
    """Versions of packages that the code was read from, latest first."""


class DefinitionRecord(TypedDict):
    type: Literal["lab", "device", "task", "protocol"]
    name: str
    """Name of the definition."""
    package: str
    """Package that defines it."""
    file: str
    """Its file, relative to the user directory."""
    loaded: bool
    """True: the definition is loaded."""
    hash: str | None
    """Content hash of the loaded version, or else of the version on disk; null when that has errors."""
    sound: bool
    """False: its files had errors when the service last read them."""
    labs: list[str]
    """Laboratories of the definition: the laboratory itself, those that a protocol names, those that have the
    device type, and of a task type those that have what it needs or whose loaded protocols use it. Only
    laboratories that the caller may see."""
    definition: dict[str, Any] | None
    """The loaded definition, or else the one on disk, with every optional field filled in; null when both are
    missing or have errors."""
    errors: list[Fault]
    """What is wrong, and where."""


class DefinitionSummary(TypedDict):
    type: Literal["lab", "device", "task", "protocol"]
    name: str
    """Name of the definition."""
    package: str
    """Package that defines it."""
    file: str
    """Its file, relative to the user directory."""
    loaded: bool
    """True: the definition is loaded."""
    hash: str | None
    """Content hash of the loaded version, or else of the version on disk; null when that has errors."""
    sound: bool
    """False: its files had errors when the service last read them."""
    labs: list[str]
    """Laboratories of the definition: the laboratory itself, those that a protocol names, those that have the
    device type, and of a task type those that have what it needs or whose loaded protocols use it. Only
    laboratories that the caller may see."""


class DeletedPackageVersion(TypedDict):
    """A version of a package that was deleted."""

    package: str
    """Name of the package."""
    sha256: str
    """SHA-256 of the packed package, hexadecimal."""
    size: int
    """Size of the packed package, in bytes."""


class DeletionRecord(TypedDict):
    """The deletion of a campaign, a protocol run or an on-demand task. It stays after the work is gone."""

    id: str
    """Id of the deletion."""
    kind: Literal["campaign", "protocol_run", "task_run"]
    """What is deleted."""
    name: str
    """Name of the work."""
    work_id: str
    """Id of the work."""
    owner: str
    """Owner of the work."""
    labs: list[str]
    """Laboratories of the work; empty: none, or not known."""
    what: Literal["everything", "files"]
    """`files`: the records stay."""
    state: Literal["planned", "running", "done", "cancelled"]
    """`planned`: it waits and can be taken back. `running`: it has begun. `done`: all is removed. `cancelled`: it
    was taken back."""
    reason: str
    """Reason."""
    by: str
    """Person who asked for it; `service`: it follows from the age of the work."""
    created_at: str
    """When it was asked for."""
    due_at: str
    """When it begins."""
    ended_at: str | None
    """When it was done or cancelled."""
    ended_by: str | None
    """Person who cancelled it."""
    removed: RemovedCounts | None


class DeletionRequest(TypedDict):
    reason: str
    """Reason, for the audit."""
    what: NotRequired[Literal["everything", "files"]]
    """`everything` (default): records and files. `files`: only the files; the records stay with the size and
    SHA-256 of each."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class DeliveryRecord(TypedDict):
    id: str
    """Id of the delivery."""
    webhook_id: str
    """Id of the webhook."""
    message_id: str
    """The header `webhook-id`. It is the same for every attempt, and when the service sends the event again later."""
    event_id: int | None
    """Id of the event; null: a ping."""
    type: str
    """Type of the event."""
    aggregate: str
    """Record that the event is about."""
    state: Literal["pending", "delivered", "given_up"]
    """`given_up`: not accepted in 15 attempts, and not tried any more."""
    attempts: int
    """Attempts since the delivery was last requested."""
    created_at: str
    """When the service recorded the delivery."""
    attempted_at: str | None
    """When the last attempt ended; null: there was none."""
    next_attempt_at: str | None
    """The earliest moment of the next attempt; null: there will be none."""
    status: int | None
    """HTTP status of the last answer; null: there was none."""
    duration_ms: int | None
    """Milliseconds that the last attempt took."""
    error: str | None
    """Why the last attempt was not accepted."""
    answer: str | None
    """Beginning of the last answer, 1 kB at most."""


class DeviceDetailOutOfService(TypedDict):
    """Who took the device out of service and why, or drains its computer; null when it is in service. No task
    starts on a device out of service."""

    by: str
    """Person who took the device out of service, or drains its computer."""
    reason: str
    """Reason."""
    since: str
    """When the person took it out of service."""
    until: str | None
    """When it comes back by itself; null: when a person puts it back into service."""


class DeviceDetailDoubtInDoubtItem(TypedDict):
    call_id: str
    """Unique identifier of the call."""
    function: str
    """Function of the device."""
    attempt_id: NotRequired[str]
    """Attempt that made the call."""
    arguments: NotRequired[dict[str, Any]]
    """Arguments of the call. A secret one is masked."""
    by: NotRequired[str]
    """Person who made the call."""


class DeviceDetailDoubtLastConfirmed(TypedDict):
    call_id: str
    """Unique identifier of the call."""
    function: str
    """Function of the device."""


class DeviceDetailDoubt(TypedDict):
    """What is known of an uncertain device; null when the device is in no doubt."""

    id: str
    """Identifier of the doubt."""
    in_doubt: list[DeviceDetailDoubtInDoubtItem]
    """Calls that began and have no known end, oldest first."""
    last_confirmed: DeviceDetailDoubtLastConfirmed | None


class DeviceDetailDoing(TypedDict):
    """The call in progress that may move the device; null: none, as far as is known."""

    call_id: str
    """Unique identifier of the call."""
    function: str
    """Function of the device."""
    arguments: dict[str, Any]
    """Arguments of the call. A long value is cut, and a secret one is masked."""
    since: str
    """When the call began."""
    attempt_id: NotRequired[str]
    """Attempt that made the call; absent: a person made it."""


class DeviceDetailLastKnown(TypedDict):
    """What the agent of an unreachable device said last; null when the device is reachable, or its agent was never
    heard."""

    state: Literal["disabled", "initializing", "idle", "busy", "aborting", "uncertain", "restarting", "faulted", "unreachable"]
    at: str
    """When the agent was last heard."""


class DeviceDetailRuntime(TypedDict):
    """What really executed the code; null: not known."""

    name: Literal["node", "python"]
    """What executes the code."""
    version: str | None
    """Version of Node or Python, as the process of the code said; null: it did not say."""
    environment: str | None
    """SHA-256 of the lock of the libraries from PyPI; null: the code has none."""


class DeviceDetailFunctionsItem(TypedDict):
    name: str
    """Name of the function in calls."""
    kind: Literal["effect", "idempotent", "query"]
    timeout_s: float
    """Seconds that a call may take."""
    description: str | None
    """What the function does; null when the device does not say."""
    parameters: dict[str, dict[str, Any]] | None
    """Parameters by name. The agent checks the arguments of a call against them."""


class DeviceDetail(TypedDict):
    lab_name: str
    """Laboratory."""
    name: str
    """Name within the laboratory."""
    type: str
    """Device type."""
    computer: str
    """Computer whose agent runs the device."""
    state: Literal["disabled", "initializing", "idle", "busy", "aborting", "uncertain", "restarting", "faulted", "unreachable"]
    detail: str | None
    """What is wrong, in words; null when nothing is."""
    held_by: str | None
    """Task run that holds the device: `<protocol run>/<task>`, or the on-demand task."""
    halted: str | None
    """Who stopped the device and why; null when no emergency stop covers it."""
    out_of_service: DeviceDetailOutOfService | None
    """Who took the device out of service and why, or drains its computer; null when it is in service. No task
    starts on a device out of service."""
    doubt: DeviceDetailDoubt | None
    """What is known of an uncertain device; null when the device is in no doubt."""
    doing: DeviceDetailDoing | None
    """The call in progress that may move the device; null: none, as far as is known."""
    last_known: DeviceDetailLastKnown | None
    """What the agent of an unreachable device said last; null when the device is reachable, or its agent was never
    heard."""
    runtime: DeviceDetailRuntime | None
    """What really executed the code; null: not known."""
    debugger: str | None
    """Address on its computer at which a debugger may attach to the process of the device. Its time limits are
    suspended, and nobody knows whether it stands at a breakpoint. Null: none may attach, or not known."""
    functions: list[DeviceDetailFunctionsItem]
    """Functions that can be called by RPC. `parameters` is null where the device declares none; the arguments are
    not checked then."""
    report: NotRequired[dict[str, Any]]
    """What `_report` of the device returns. Present only if the request asks for it."""


class DeviceDisable(TypedDict):
    reason: str
    """Reason. The service shows it to everybody who waits."""
    until: NotRequired[str]
    """When the device comes back by itself. Default: when a person puts it back."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class DeviceFileAttachment(TypedDict):
    task: str
    """Name of the task. The file belongs to its latest attempt then."""
    protocol_run: NotRequired[str]
    """Protocol run of the task. Absent: the task is an on-demand task."""
    reason: str
    """Reason."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class DeviceFileDeletion(TypedDict):
    reason: str
    """Reason."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class DeviceFileRecord(TypedDict):
    """A file that an instrument wrote into a folder of its computer."""

    name: str
    """Name that the task gave the file."""
    size: int
    """Size in bytes."""
    sha256: str
    """SHA-256 of the content, hexadecimal."""
    media_type: str
    """Media type that belongs to the file extension."""
    id: str
    """Identifier of the file."""
    lab: str
    """Laboratory of the device."""
    device: str
    """Name of the device within the laboratory."""
    computer: str
    """Computer of the device."""
    path: str
    """Path below the folder of the instrument."""
    made_at: str
    """When the instrument made it, by the clock of the computer less its offset."""
    modified_at: str
    """When it was changed last, by the same clock."""
    stored_at: str
    """When the service had all of it."""
    matched: Literal["time", "name", "person", None]
    """How its attempt was found: by the time, by the name of the file, or a person said it. Null: it belongs to no
    attempt."""
    attached_by: str | None
    """Person who attached it; null: nobody did."""
    reason: str | None
    """Why that person attached it."""
    attempt_id: str | None
    """Attempt that it belongs to; null: none."""
    task_run_id: str | None
    """Task run of that attempt."""
    task: str | None
    """Name of the task."""
    protocol_run: str | None
    """Protocol run of the task, if any."""
    campaign: str | None
    """Campaign of the protocol run, if any."""
    delete_due_at: str | None
    """When its deletion begins; null: nobody deletes it."""
    delete_by: str | None
    """Person who deletes it, or `service`."""
    delete_reason: str | None
    """Why it is deleted."""


class DeviceRecordOutOfService(TypedDict):
    """Who took the device out of service and why, or drains its computer; null when it is in service. No task
    starts on a device out of service."""

    by: str
    """Person who took the device out of service, or drains its computer."""
    reason: str
    """Reason."""
    since: str
    """When the person took it out of service."""
    until: str | None
    """When it comes back by itself; null: when a person puts it back into service."""


class DeviceRecordDoubtInDoubtItem(TypedDict):
    call_id: str
    """Unique identifier of the call."""
    function: str
    """Function of the device."""
    attempt_id: NotRequired[str]
    """Attempt that made the call."""
    arguments: NotRequired[dict[str, Any]]
    """Arguments of the call. A secret one is masked."""
    by: NotRequired[str]
    """Person who made the call."""


class DeviceRecordDoubtLastConfirmed(TypedDict):
    call_id: str
    """Unique identifier of the call."""
    function: str
    """Function of the device."""


class DeviceRecordDoubt(TypedDict):
    """What is known of an uncertain device; null when the device is in no doubt."""

    id: str
    """Identifier of the doubt."""
    in_doubt: list[DeviceRecordDoubtInDoubtItem]
    """Calls that began and have no known end, oldest first."""
    last_confirmed: DeviceRecordDoubtLastConfirmed | None


class DeviceRecordDoing(TypedDict):
    """The call in progress that may move the device; null: none, as far as is known."""

    call_id: str
    """Unique identifier of the call."""
    function: str
    """Function of the device."""
    arguments: dict[str, Any]
    """Arguments of the call. A long value is cut, and a secret one is masked."""
    since: str
    """When the call began."""
    attempt_id: NotRequired[str]
    """Attempt that made the call; absent: a person made it."""


class DeviceRecordLastKnown(TypedDict):
    """What the agent of an unreachable device said last; null when the device is reachable, or its agent was never
    heard."""

    state: Literal["disabled", "initializing", "idle", "busy", "aborting", "uncertain", "restarting", "faulted", "unreachable"]
    at: str
    """When the agent was last heard."""


class DeviceRecordRuntime(TypedDict):
    """What really executed the code; null: not known."""

    name: Literal["node", "python"]
    """What executes the code."""
    version: str | None
    """Version of Node or Python, as the process of the code said; null: it did not say."""
    environment: str | None
    """SHA-256 of the lock of the libraries from PyPI; null: the code has none."""


class DeviceRecordFunctionsItem(TypedDict):
    name: str
    """Name of the function in calls."""
    kind: Literal["effect", "idempotent", "query"]
    timeout_s: NotRequired[float]
    """Seconds that a call may take; absent: 60."""
    description: NotRequired[str]
    """What the function does."""
    parameters: NotRequired[dict[str, dict[str, Any]]]
    """Parameters by name. The agent checks the arguments of a call against them."""
    beside: NotRequired[bool]
    """True: a call runs at once, also beside an effect in progress."""
    positional: NotRequired[list[str]]
    """Parameters that a task may give without their names, in their order."""


class DeviceRecord(TypedDict):
    lab_name: str
    """Laboratory."""
    name: str
    """Name within the laboratory."""
    type: str
    """Device type."""
    computer: str
    """Computer whose agent runs the device."""
    state: Literal["disabled", "initializing", "idle", "busy", "aborting", "uncertain", "restarting", "faulted", "unreachable"]
    detail: str | None
    """What is wrong, in words; null when nothing is."""
    held_by: str | None
    """Task run that holds the device: `<protocol run>/<task>`, or the on-demand task."""
    halted: str | None
    """Who stopped the device and why; null when no emergency stop covers it."""
    out_of_service: DeviceRecordOutOfService | None
    """Who took the device out of service and why, or drains its computer; null when it is in service. No task
    starts on a device out of service."""
    doubt: DeviceRecordDoubt | None
    """What is known of an uncertain device; null when the device is in no doubt."""
    doing: DeviceRecordDoing | None
    """The call in progress that may move the device; null: none, as far as is known."""
    last_known: DeviceRecordLastKnown | None
    """What the agent of an unreachable device said last; null when the device is reachable, or its agent was never
    heard."""
    runtime: DeviceRecordRuntime | None
    """What really executed the code; null: not known."""
    debugger: str | None
    """Address on its computer at which a debugger may attach to the process of the device. Its time limits are
    suspended, and nobody knows whether it stands at a breakpoint. Null: none may attach, or not known."""
    functions: list[DeviceRecordFunctionsItem]
    """Functions that can be called by RPC."""


class DeviceReference(TypedDict):
    lab_name: str
    name: str


class DeviceRestart(TypedDict):
    reason: str
    """Reason, for the audit."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class DrainRecord(TypedDict):
    """A drain: whether new work may begin, and the work that has begun and has not ended."""

    draining: bool
    """True: no protocol run and no on-demand task begins until a person ends the drain."""
    campaign: str | None
    """Campaign that the work belongs to, if any."""
    by: str | None
    """Person who began the drain."""
    since: str | None
    """When the drain began."""
    drained: bool
    """True: everything that has begun has ended."""
    unfinished_count: int
    """Protocol runs and on-demand tasks that have begun and have not ended."""
    unfinished: list[DrainedWork]
    """The earliest of them, at most 200."""


class DrainSubmission(TypedDict):
    reason: str
    """Reason. The service shows it to everybody who waits."""
    until: NotRequired[str]
    """When the drain ends by itself. Default: when a person resumes the computer."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class DrainedTask(TypedDict):
    label: str
    """`<protocol run>/<task>`, or the on-demand task."""
    computer: str | None
    """Computer that runs the task."""
    since: str | None
    """When the task started."""
    silent_since: str | None
    """When the agent of the computer was last heard, if it is not heard at present: nobody knows what the task
    does. Null: the agent is heard."""


class DrainedWork(TypedDict):
    kind: Literal["protocol_run", "task"]
    name: str
    """Its name."""
    state: Literal["created", "running", "paused", "completed", "failed", "cancelled", "needs_attention", "queued", "skipped"]
    """`needs_attention`: a person must decide before it goes on. `paused`: a person must resume it."""
    since: str | None
    """When its first task started."""
    running: list[DrainedTask]
    """Its tasks that run. None: its next task waits."""


class EffectRecordError(TypedDict):
    """Why the call failed; null: it did not."""

    code: str
    """Code of the error."""
    message: str
    """What went wrong."""
    effect: str
    """What is known of the effect: `none`, `maybe` or `done`."""


class EffectRecordRuntime(TypedDict):
    """What really executed the code; null: not known."""

    name: Literal["node", "python"]
    """What executes the code."""
    version: str | None
    """Version of Node or Python, as the process of the code said; null: it did not say."""
    environment: str | None
    """SHA-256 of the lock of the libraries from PyPI; null: the code has none."""


class EffectRecord(TypedDict):
    """A call of a function that may change something, as the agent of the device recorded it."""

    id: str
    """Identifier of the call."""
    lab: str
    """Laboratory of the device."""
    device: str
    """Name of the device within the laboratory."""
    computer: str
    """Computer of the device."""
    function: str
    """Function that was called."""
    kind: Literal["effect", "idempotent"]
    """`idempotent`: the call may be repeated."""
    arguments: dict[str, Any]
    """Arguments with the defaults of those that were left out. Secret ones are `***`."""
    state: Literal["running", "completed", "failed", "not_begun", "unknown"]
    """`running`: no end is known yet. `unknown`: whether it took effect cannot be known. `not_begun`: it was
    withdrawn before the device got it."""
    result: Any
    """What the function returned; null: nothing, or the call did not end so. A long value is cut."""
    error: EffectRecordError | None
    """Why the call failed; null: it did not."""
    person: str | None
    """Person who called; null: a task called."""
    attempt_id: str | None
    """Attempt that called; null: a person called."""
    task: str | None
    """Name of the task that called."""
    protocol_run: str | None
    """Protocol run of that task."""
    campaign: str | None
    """Campaign of that protocol run."""
    began_at: str
    """When the call began."""
    ended_at: str | None
    """When the call ended; null: no end is known."""
    clock_offset_ms: float
    """Milliseconds by which the clock of the computer was ahead when the record was stored."""
    code_hash: str | None
    """Content hash of the code of the device; null: not known."""
    runtime: EffectRecordRuntime | None
    """What really executed the code; null: not known."""
    package: str | None
    """Package of that code."""
    package_version: str | None
    """Version of the package when the code was loaded."""
    package_commit: str | None
    """Git commit of the package when the code was loaded."""
    package_modified: bool | None
    """Whether files of the package differed from that commit."""


class EmergencyStopRecord(TypedDict):
    """An emergency stop."""

    id: str
    """Unique identifier."""
    scope: str
    """`all`, `lab:<lab>` or `device:<lab>.<device>`."""
    reason: str
    """Reason."""
    by: str
    """Person who engaged the emergency stop."""
    engaged_at: str
    """When the service recorded the emergency stop."""
    released_at: str | None
    """When a person released it; null while it is in force."""
    released_by: str | None
    """Person who released it."""


class EmergencyStopRelease(TypedDict):
    id: NotRequired[str]
    """Id of the emergency stop. Absent: every emergency stop in force."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class EmergencyStopReport(TypedDict):
    """An emergency stop, and what is known of every device in its scope."""

    id: str
    """Unique identifier."""
    scope: str
    """`all`, `lab:<lab>` or `device:<lab>.<device>`."""
    reason: str
    """Reason."""
    by: str
    """Person who engaged the emergency stop."""
    engaged_at: str | None
    """When the service recorded the emergency stop; null: it is not recorded yet."""
    released_at: str | None
    """When a person released it; null while it is in force."""
    released_by: str | None
    """Person who released it."""
    confirmed: bool
    """True: all devices in the scope are known, and the agent of each says that it is stopped. False also after
    the release."""
    complete: bool
    """False: the orchestrator does not say which devices are in the scope, so that devices of silent computers may
    be missing."""
    devices: list[StoppedDevice]
    """The devices in the scope, by laboratory and name; none after the release."""


class EmergencyStopRequest(TypedDict):
    lab_name: NotRequired[str]
    """Laboratory to stop. Absent: all laboratories."""
    device_name: NotRequired[str]
    """Device of that laboratory. Absent: all devices of the laboratory."""
    reason: NotRequired[str]
    """Reason. The service shows it wherever it refuses work."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class EnrolmentRecord(TypedDict):
    """The agent of a computer that joined with an invitation."""

    computer: str
    """Name of the computer."""
    key: str
    """Public key of the agent."""
    invitation_id: str
    """Id of the invitation."""
    address: str
    """Network address from which it joined."""
    version: str
    """Version of the agent when it last got credentials."""
    joined_at: str
    """When it joined."""
    approved_at: str | None
    """When it was approved; null: it waits for an administrator."""
    approved_by: str | None
    """Person who approved it, or who invited it without approval."""
    valid_until: str | None
    """When its credentials end, unless it renews them; null: it has none yet."""
    revoked_at: str | None
    """When it was revoked."""
    revoked_by: str | None
    """Person who revoked it."""
    reason: str | None
    """Why it was revoked."""


class EventPage(TypedDict):
    items: list[ServiceEvent]
    next_cursor: str | None
    """Leads to the next page; null: this is the last page."""


class ExchangedToken(TypedDict):
    access_token: str
    """The token of this service. The service does not keep it and cannot show it again."""
    issued_token_type: Literal["urn:ietf:params:oauth:token-type:access_token"]
    """The kind of the token."""
    token_type: Literal["Bearer"]
    """How the token is sent."""
    expires_in: int
    """Seconds until the token expires."""
    id: str
    """Id of the token, as the list of tokens shows it."""
    grants: list[Grant]


class Fault(TypedDict):
    path: str
    """Path inside the document or body."""
    code: str
    """Stable identifier of the rule that is broken."""
    message: str
    """What is wrong."""
    hint: NotRequired[str]
    """What would be right."""
    file: NotRequired[str]
    """Definition file, relative to the user directory."""
    line: NotRequired[int]
    """Line in that file, from 1."""
    column: NotRequired[int]
    """Column in that line, from 1."""


class FileRecord(TypedDict):
    name: str
    """Name that the task gave the file."""
    size: int
    """Size in bytes."""
    sha256: str
    """SHA-256 of the content, hexadecimal."""
    media_type: str
    """Media type that belongs to the file extension."""


class Grant(TypedDict):
    role: Literal["viewer", "submitter", "operator", "lab_admin", "dry_runner", "deployer", "admin"]
    """What the token allows. From `viewer` to `lab_admin` each role includes the roles before it. `dry_runner`
    only learns what a package would change, and includes `viewer`. `deployer` uploads and activates packages, and
    includes `dry_runner` and `viewer`. `admin` includes all."""
    lab: NotRequired[str]
    """The one lab that the role is for; absent: all labs."""


class GrantSubmission(TypedDict):
    role: Literal["viewer", "submitter", "operator", "lab_admin", "dry_runner", "deployer", "admin"]
    """What the token allows. From `viewer` to `lab_admin` each role includes the roles before it. `dry_runner`
    only learns what a package would change, and includes `viewer`. `deployer` uploads and activates packages, and
    includes `dry_runner` and `viewer`. `admin` includes all."""
    lab: NotRequired[str]
    """The one lab that the role is for. Absent: all labs."""


class HealthReportPartsGateway(TypedDict):
    status: Literal["ok", "degraded", "unavailable"]
    detail: NotRequired[str]
    """How much of the part there is, or why its status is not `ok`."""
    since: NotRequired[str]
    """Since when the part has this status, as far as the gateway knows; absent for `ok`."""


class HealthReportPartsBroker(TypedDict):
    status: Literal["ok", "degraded", "unavailable"]
    detail: NotRequired[str]
    """How much of the part there is, or why its status is not `ok`."""
    since: NotRequired[str]
    """Since when the part has this status, as far as the gateway knows; absent for `ok`."""


class HealthReportPartsDatabase(TypedDict):
    status: Literal["ok", "degraded", "unavailable"]
    detail: NotRequired[str]
    """How much of the part there is, or why its status is not `ok`."""
    since: NotRequired[str]
    """Since when the part has this status, as far as the gateway knows; absent for `ok`."""


class HealthReportPartsOrchestrator(TypedDict):
    status: Literal["ok", "degraded", "unavailable"]
    detail: NotRequired[str]
    """How much of the part there is, or why its status is not `ok`."""
    since: NotRequired[str]
    """Since when the part has this status, as far as the gateway knows; absent for `ok`."""


class HealthReportPartsAgents(TypedDict):
    status: Literal["ok", "degraded", "unavailable"]
    detail: NotRequired[str]
    """How much of the part there is, or why its status is not `ok`."""
    since: NotRequired[str]
    """Since when the part has this status, as far as the gateway knows; absent for `ok`."""


class HealthReportPartsPackages(TypedDict):
    status: Literal["ok", "degraded", "unavailable"]
    detail: NotRequired[str]
    """How much of the part there is, or why its status is not `ok`."""
    since: NotRequired[str]
    """Since when the part has this status, as far as the gateway knows; absent for `ok`."""


class HealthReportParts(TypedDict):
    gateway: HealthReportPartsGateway
    broker: HealthReportPartsBroker
    database: HealthReportPartsDatabase
    orchestrator: HealthReportPartsOrchestrator
    agents: HealthReportPartsAgents
    packages: HealthReportPartsPackages


class HealthReport(TypedDict):
    status: Literal["ok", "degraded", "unavailable"]
    """`unavailable`: a part that requests need is unavailable. `degraded`: a part does less than it should."""
    epoch: int | None
    """Leadership epoch of the orchestrator that answered; null: none answered."""
    parts: HealthReportParts


class InputFileRecord(TypedDict):
    name: str
    """Name that the task gave the file."""
    size: int
    """Size in bytes."""
    sha256: str
    """SHA-256 of the content, hexadecimal."""
    media_type: str
    """Media type that belongs to the file extension."""
    id: str
    """`<task run>/<attempt>/<file name>`, with the id of the task run that produced the file."""


class InsightRecord(TypedDict):
    id: str
    """Identifier of the insight."""
    text: str
    """Text of the insight."""
    by: str
    """Person who gave the insight."""
    at: str
    """When the person gave the insight."""
    used: bool
    """True: a suggestion that was made with the insight has succeeded."""


class InsightSubmission(TypedDict):
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""
    insight: str
    """What the AI is to know. The insight waits until a suggestion that was made with it succeeds."""


class InvitationRecord(TypedDict):
    """An invitation of a computer, without its secret. Times are ISO 8601 in UTC."""

    id: str
    """Id of the invitation."""
    computer: str
    """Name of the computer in lab.yml. With `uses`, `*` stands for any characters: each computer that joins says
    its own name."""
    lab: str | None
    """The laboratory that declares the computer; null: any."""
    uses: int
    """How many computers may join."""
    used: int
    """How many computers joined."""
    needs_approval: bool
    """Whether an administrator approves each computer."""
    created_at: str
    """When it was made."""
    created_by: str
    """Person who made it."""
    expires_at: str
    """When it expires."""


class InvitationSubmission(TypedDict):
    computer: str
    """Name of the computer in lab.yml. With `uses`, `*` stands for any characters: each computer that joins says
    its own name."""
    lab: NotRequired[str]
    """A loaded laboratory that must declare the computer. Absent: any or none."""
    expires_in_s: NotRequired[int]
    """Seconds until the invitation expires. Default 3600."""
    uses: NotRequired[int]
    """How many computers may join with it. Default 1."""
    approval: NotRequired[bool]
    """Whether an administrator approves each computer after it joined. Default: false."""


class JournalEntryNoteTokens(TypedDict):
    input: int
    """Tokens read."""
    output: int
    """Tokens written."""


class JournalEntryNoteFallback(TypedDict):
    code: str
    """Stable code."""
    message: str
    """The cause in words."""


class JournalEntryNoteSchedule(TypedDict):
    """Present if `batch` is `schedule_aware` and another row had a greater expected improvement."""

    reason: str
    """The reason in words."""
    worth: float
    """Its expected improvement, as a share of the greatest one."""
    seconds: float
    """Expected seconds from the moment at which its run may begin to the end of the run."""
    plain_seconds: float
    """The same for the row with the greatest expected improvement."""


class JournalEntryNote(TypedDict):
    """How the parameters were found; `fallback`: why the AI was not used although it was its turn."""

    journal: NotRequired[str]
    """What the AI wrote about its suggestion."""
    model: NotRequired[str]
    """`<provider>:<model>` of the AI."""
    tokens: NotRequired[JournalEntryNoteTokens]
    insights: NotRequired[list[str]]
    """Insights that the suggestion was made with."""
    fallback: NotRequired[JournalEntryNoteFallback]
    adjusted: NotRequired[bool]
    """True: values were changed a little to fit the domain."""
    limits_used: NotRequired[list[str]]
    """Time limits that ended a computation early."""
    schedule: NotRequired[JournalEntryNoteSchedule]
    """Present if `batch` is `schedule_aware` and another row had a greater expected improvement."""


class JournalEntry(TypedDict):
    """How the parameters of one run were found."""

    number: int
    """Number of the protocol run within the campaign, from 1."""
    run: str
    """Name of that run."""
    source: Literal["optimizer", "ai", "given"]
    """Who chose the inputs: the optimizer, the AI, or the submission."""
    note: JournalEntryNote
    """How the parameters were found; `fallback`: why the AI was not used although it was its turn."""


class KeptOptimizerInsightsItem(TypedDict):
    id: str
    """Identifier of the insight."""
    text: str
    """Text of the insight."""
    by: str
    """Person who gave the insight."""
    at: float
    """When the person gave it, in milliseconds since 1970."""
    used: bool
    """True: a suggestion that was made with the insight has succeeded."""


class KeptOptimizerFailure(TypedDict):
    code: str
    """Stable code."""
    message: str
    """The cause in words."""


class KeptOptimizerRuntime(TypedDict):
    """What really executed the code; null: not known."""

    name: Literal["node", "python"]
    """What executes the code."""
    version: str | None
    """Version of Node or Python, as the process of the code said; null: it did not say."""
    environment: str | None
    """SHA-256 of the lock of the libraries from PyPI; null: the code has none."""


class KeptOptimizer(TypedDict):
    """What is kept of the optimizer of a campaign; `failure`: why no further trials can be made."""

    input_names: list[str]
    """Parameters that the optimizer proposes."""
    output_names: list[str]
    """Results that the optimizer receives."""
    additional_names: list[str]
    """Further parameters whose values the optimizer receives with each result."""
    fields: list[SettingField]
    runtime_params: dict[str, Any]
    """Values of the parameters that may be changed while the optimizer runs, by name."""
    arguments: dict[str, Any]
    """Constructor arguments of the optimizer, without secrets."""
    insights: list[KeptOptimizerInsightsItem]
    best: list[dict[str, Any]] | None
    """The best rows measured: one row, or the Pareto front; null while the campaign runs."""
    failure: KeptOptimizerFailure | None
    runtime: KeptOptimizerRuntime | None
    """What really executed the code; null: not known."""


class LabChange(TypedDict):
    name: str
    """Name of the laboratory."""
    state: Literal["loaded", "draining", "unloaded"]
    hash: str | None
    """Content hash of the loaded version, or else of the version on disk; null when that has errors."""
    devices: list[LoadedDevice]
    """Devices of the laboratory, after a load or reload."""
    unloaded_protocols: list[str]
    """Protocols that were unloaded with the laboratory."""
    waits_for: list[str]
    """Work that must end before a draining laboratory changes."""


class LabRecord(TypedDict):
    name: str
    """Name of the laboratory."""
    desc: str
    """Description of the laboratory. Empty when its files have errors and it is not loaded."""
    state: Literal["loaded", "draining", "unloaded"]
    draining_for: Literal["unload", "reload", "deploy", None]
    """What happens when the work of a draining laboratory has ended; else null. `deploy`: another version of a
    package becomes active."""
    package: str
    """Package that defines it."""
    file: str
    """Its file, relative to the user directory."""
    hash: str | None
    """Content hash of the loaded version, or else of the version on disk; null when that has errors."""
    sound: bool
    """False: its files had errors when the service last read them."""
    devices: list[str]
    """Names of its devices."""
    resources: list[str]
    """Names of its resources."""


class LabSelection(TypedDict):
    lab_types: list[str]
    """Names of laboratories."""
    drain: NotRequired[bool]
    """True: does not refuse the request while work runs. The laboratory accepts nothing new, and the change
    happens when its work has ended. Default: false."""


class LegalHoldRecord(TypedDict):
    """A legal hold: while it is in force, the work that it covers cannot be deleted."""

    id: str
    """Id of the hold."""
    kind: Literal["campaign", "protocol_run", "task_run", "owner", "lab"]
    """What the hold covers."""
    name: str
    """Name of the work, the owner or the laboratory."""
    reason: str
    """Reason."""
    by: str
    """Person who added it."""
    created_at: str
    """When it was added."""
    released_at: str | None
    """When it was released; null: it is in force."""
    released_by: str | None
    """Person who released it."""
    too_late: list[str]
    """Names of covered work whose deletion had begun when the hold was added."""


class LegalHoldRequest(TypedDict):
    kind: Literal["campaign", "protocol_run", "task_run", "owner", "lab"]
    """What the hold covers: a campaign, a protocol run, the on-demand tasks of a name, all work of an owner or of
    a laboratory."""
    name: str
    """Name of the work, the owner or the laboratory."""
    reason: str
    """Reason."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class LoadedDevice(TypedDict):
    name: str
    """Name within the laboratory."""
    computer: str
    """Computer whose agent runs the device."""
    state: Literal["disabled", "initializing", "idle", "busy", "aborting", "uncertain", "restarting", "faulted", "unreachable"]
    """`disabled`: the computer of the device is not connected. The device starts when the computer connects."""
    detail: str | None
    """What is wrong, in words; null when nothing is."""
    started: bool
    """False: the device was running already and continues unchanged."""


class LogLine(TypedDict):
    """A line that the code of a task or of a device wrote."""

    id: int
    """Number of the line. It rises with every line, in the order of storage. It may have gaps."""
    at: str
    """When the line was written, by the clock of its computer."""
    level: Literal["debug", "info", "warn", "error"]
    """Severity of the line."""
    source: Literal["task", "device", "service"]
    """What wrote the line: the code of a task, the code of a device, or the service. The service writes about
    lines that it had to drop."""
    computer: str
    """Computer on which the line was written."""
    lab: str | None
    """Laboratory of the device that wrote the line."""
    device: str | None
    """Name of the device that wrote the line."""
    task_run_id: str | None
    """Id of the task run that wrote the line."""
    task: str | None
    """Name of the task that wrote the line."""
    protocol_run: str | None
    """Protocol run of that task."""
    campaign: str | None
    """Campaign of that protocol run."""
    attempt_id: str | None
    """Id of the attempt that wrote the line."""
    attempt: int | None
    """Number of that attempt, from 1."""
    message: str
    """The text; after 8 KiB it is cut."""


class NewInvitationRecord(TypedDict):
    """Answer to the request that made an invitation. No other answer contains the token."""

    id: str
    """Id of the invitation."""
    computer: str
    """Name of the computer in lab.yml. With `uses`, `*` stands for any characters: each computer that joins says
    its own name."""
    lab: str | None
    """The laboratory that declares the computer; null: any."""
    uses: int
    """How many computers may join."""
    used: int
    """How many computers joined."""
    needs_approval: bool
    """Whether an administrator approves each computer."""
    created_at: str
    """When it was made."""
    created_by: str
    """Person who made it."""
    expires_at: str
    """When it expires."""
    token: str
    """What the computer shows when it joins. The service does not keep it and cannot show it again."""
    url: str
    """Address at which the computer joins."""
    command: str
    """The command for the computer."""


class NewTokenRecord(TypedDict):
    id: str
    """Id of the token. It is not the token itself."""
    prefix: str
    """The first characters of the token, to tell it from others."""
    kind: Literal["personal", "service", "session"]
    """Whether a person or a program uses the token. `session`: a browser uses it, and ends it."""
    name: str
    """Owner of the token. It is the owner of the work that is submitted with the token, and the name in the audit."""
    note: str
    """What the token is for."""
    grants: list[Grant]
    created_at: str
    """When the token was made."""
    created_by: str
    """Person who made the token."""
    issuer: str | None
    """Issuer that knows the owner; null: the name is one of this service."""
    subject: str | None
    """Who the owner is at the issuer: the claim `sub`."""
    pipeline: PipelineOrigin | None
    expires_at: str | None
    """When the token expires; null: it does not expire."""
    last_used_at: str | None
    """When the token was last used, to within about a minute; null: never."""
    revoked_at: str | None
    """When the token was revoked."""
    revoked_by: str | None
    """Person who revoked the token."""
    token: str
    """The token. The service does not keep it and cannot show it again."""


class NewWebhookRecordReason(TypedDict):
    code: str
    """`not_accepted`, `gone` or `events_pruned`."""
    message: str
    """The reason in words."""


class NewWebhookRecord(TypedDict):
    id: str
    """Id of the webhook."""
    url: str
    """Address that the service sends events to."""
    description: str
    """What the webhook is for."""
    filters: WebhookFilters
    include: list[Literal["meta", "outputs"]]
    """What the service adds to the body of events of work."""
    enabled: bool
    """False: the service sends nothing."""
    state: Literal["active", "failing", "disabled"]
    """`failing`: the receiver did not accept the last attempts. `disabled`: by a person, or with a `reason` by the
    service: after 5 days of failures, when the receiver answered 410, or when events were removed before they were
    sent."""
    reason: NewWebhookRecordReason | None
    failing_since: str | None
    """Since when the receiver has accepted no attempt; null: it accepted the last one, or there was none."""
    position: int
    """Id of an event. All events up to this one that pass the filters are among the deliveries."""
    previous_secret_until: str | None
    """Until when the secret before the last rotation signs as well; null: it does not."""
    created_at: str
    """When the webhook was made."""
    created_by: str
    """Person who made the webhook."""
    changed_at: str
    """When a person last changed the webhook."""
    secret: str
    """The secret. The service cannot show it again."""


class OperatorNote(TypedDict):
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class OptimizerDescription(TypedDict):
    """The optimizer of a protocol before any campaign uses it."""

    input_names: list[str]
    """Parameters that the optimizer proposes."""
    output_names: list[str]
    """Results that the optimizer receives."""
    additional_names: list[str]
    """Further parameters whose values the optimizer receives with each result."""
    fields: list[SettingField]
    runtime_params: dict[str, Any]
    """Values of the parameters that may be changed while the optimizer runs, by name."""
    arguments: dict[str, Any]
    """Constructor arguments of the optimizer, without secrets."""


class OptimizerRecordReason(TypedDict):
    code: str
    """Stable code."""
    message: str
    """The cause in words."""


class OptimizerRecordFailure(TypedDict):
    code: str
    """Stable code."""
    message: str
    """The cause in words."""


class OptimizerRecordRuntime(TypedDict):
    """What really executed the code; null: not known."""

    name: Literal["node", "python"]
    """What executes the code."""
    version: str | None
    """Version of Node or Python, as the process of the code said; null: it did not say."""
    environment: str | None
    """SHA-256 of the lock of the libraries from PyPI; null: the code has none."""


class OptimizerRecord(TypedDict):
    """The optimizer of a campaign. No secret is in it."""

    input_names: list[str]
    """Parameters that the optimizer proposes."""
    output_names: list[str]
    """Results that the optimizer receives."""
    additional_names: list[str]
    """Further parameters whose values the optimizer receives with each result."""
    fields: list[SettingField]
    runtime_params: dict[str, Any]
    """Values of the parameters that may be changed while the optimizer runs, by name."""
    arguments: dict[str, Any]
    """Constructor arguments of the optimizer, without secrets."""
    campaign: str
    """Campaign."""
    state: Literal["opening", "ready", "waiting", "closed"]
    """`opening`: the worker makes the optimizer and sends it the measured trials. `ready`: the optimizer can be
    asked. `waiting`: no worker answers, and the service tries again. `closed`: the service asks nothing of it."""
    reason: OptimizerRecordReason | None
    worker: str | None
    """Worker that has the optimizer; null: none has."""
    insights: list[InsightRecord]
    """Oldest first."""
    best: list[dict[str, Any]] | None
    """The best rows measured: one row, or the Pareto front; null while the campaign runs."""
    failure: OptimizerRecordFailure | None
    runtime: OptimizerRecordRuntime | None
    """What really executed the code; null: not known."""
    pending: list[Trial]
    """Trials whose run has not begun, by number."""
    journal: list[JournalEntry]
    """The latest 50 entries of the journal, newest first. `GET .../optimizer/journal` has all, in pages."""
    belief: Any
    """What the model of the optimizer has learnt, with `explain=true`; null: nothing, or not asked for."""


class PackageActivation(TypedDict):
    sha256: str
    """Hash of the version. `folder`: the package in the folder of packages is to be active again."""
    expect: str
    """What must be active at present: a hash, `folder` or `none`. If something else is, the answer is 409 and
    names it, and nothing changes."""
    drain: NotRequired[bool]
    """True: does not refuse the request while work uses a changed device. The laboratory accepts nothing new, and
    the version becomes active when its work has ended. Default: false."""
    dry_run: NotRequired[bool]
    """True: the service only says what would change, and changes nothing. Default: false."""
    commit: NotRequired[str]
    """Commit of the sources, for the audit."""
    author: NotRequired[str]
    """Author of the commit, for the audit."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class PackageActivationRecordDefinitionsItem(TypedDict):
    type: Literal["lab", "device", "task", "protocol"]
    name: str
    """Name of the definition."""
    change: Literal["added", "changed", "removed"]


class PackageActivationRecordDevicesItem(TypedDict):
    lab: str
    """Name of the laboratory."""
    name: str
    """Name of the device."""
    change: Literal["added", "changed", "removed"]
    """`changed`: the device is started again."""


class PackageActivationRecord(TypedDict):
    """What an activation did or, with `dry_run`, would do."""

    package: str
    """Name of the package."""
    sha256: str
    """What is to be active: a hash, or `folder`."""
    before: str
    """What was active before. Written as `sha256`, or `none`."""
    state: Literal["possible", "active", "draining"]
    """`active`: it is active, and its devices are usable. `draining`: it becomes active when the work in
    `waits_for` has ended. `possible`: an answer to a dry run."""
    labs: list[str]
    """Laboratories that it concerns."""
    definitions: list[PackageActivationRecordDefinitionsItem]
    """Definitions that change."""
    devices: list[PackageActivationRecordDevicesItem]
    """Devices that change."""
    keeps_old: list[str]
    """Unfinished work that keeps the definitions and the code that it was accepted with."""
    waits_for: list[str]
    """Unfinished work that uses a changed device, and must end first."""
    started: list[LoadedDevice]
    """Devices of the laboratories after the activation; empty before."""


class PackageRecord(TypedDict):
    name: str
    """Package that defines it."""
    labs: list[str]
    """Laboratories that the package defines."""
    devices: list[str]
    """Device types."""
    tasks: list[str]
    """Task types."""
    protocols: list[str]
    """Protocols."""
    errors: list[Fault]
    """What is wrong, and where."""
    warnings: list[Fault]
    """Findings with which the definitions can be used."""


class PackageVersionRecordFailure(TypedDict):
    at: str
    """When the service went back."""
    reason: str
    """Why the version did not stay active."""


class PackageVersionRecord(TypedDict):
    """A packed version of a package, by its hash."""

    package: str
    """Name of the package."""
    sha256: str
    """SHA-256 of the packed package, hexadecimal."""
    size: int
    """Size of the packed package, in bytes."""
    version: str | None
    """Version in its `package.json`; null: none is given."""
    commit: str | None
    """Commit of the sources; null: none was given."""
    author: str | None
    """Author of the commit; null: none was given."""
    uploaded_at: str
    """When it was uploaded."""
    uploaded_by: str
    """Person or program that uploaded it."""
    labs: list[str]
    """Laboratories that the package concerned when it was uploaded."""
    active: bool
    """True: it is active."""
    active_since: str | None
    """Since when it is active; null: it is not."""
    failure: PackageVersionRecordFailure | None


class PackageVersions(TypedDict):
    """The versions of a package, and which of them is active."""

    package: str
    """Name of the package."""
    active: str
    """Hash of the active version; `folder`: the package in the folder of packages is active; `none`: none is."""
    previous: str
    """What was active before, which a rollback activates. Written as `active`."""
    active_since: str | None
    """Since when; null: nothing was activated yet."""
    activated_by: str | None
    """Who activated it; null: nothing was activated yet."""
    waiting: str | None
    """Hash of a version that becomes active when work has ended; null: none does."""
    versions: list[PackageVersionRecord]
    """The latest 200 versions, newest first."""


class PipelineOrigin(TypedDict):
    """The pipeline that a token was made for, as its issuer signed it. A claim that the token lacked is null."""

    issuer: str
    """Issuer of the signed token."""
    subject: str
    """The claim `sub`."""
    repository: str | None
    """Repository: the claim `repository` or `project_path`."""
    ref: str | None
    """Branch, tag or pull request: the claim `ref`."""
    commit: str | None
    """Commit: the claim `sha`."""
    run: str | None
    """Run of the pipeline: the claim `run_id` or `pipeline_id`."""


class PlanRecordProvenance(TypedDict):
    engine: str
    """What found the plan: `repair`, `list`, `search` or `cp-sat`."""
    seed: int | None
    """Random seed of the search."""
    ms: float | None
    """Milliseconds that the search took."""
    reproducible: bool
    """True: the same seed gives the same plan."""


class PlanRecord(TypedDict):
    """How good the plan is, and how it was found."""

    made_at: str
    """When the plan was made."""
    objective: float
    """The value that the policy minimises: weighted completion plus weighted makespan."""
    weighted_completion: float
    """Sum over protocol runs and on-demand tasks of weight x seconds from `made_at` to their completion."""
    makespan: float
    """Seconds from `made_at` to the end of all planned work."""
    lower_bound: float | None
    """No plan can have a lower objective; null: not known."""
    gap: float | None
    """`(objective - lower_bound) / objective`; null: not known."""
    provenance: PlanRecordProvenance


class Principal(TypedDict):
    name: str
    """Owner of the work that is submitted, and the name in the audit."""
    kind: Literal["local", "token", "oidc"]
    """`local`: authentication is off. `token`: identified by a token of this service. `oidc`: identified by a
    token of the OIDC issuer."""
    grants: list[Grant]
    issuer: NotRequired[str]
    """Issuer that knows the person. Absent: the name is one of this service."""
    subject: NotRequired[str]
    """Who the person is at the issuer: the claim `sub`."""
    pipeline: NotRequired[PipelineOrigin]


class ProblemErrorsItem(TypedDict):
    path: str
    """Path inside the body, or `?name` in the query."""
    code: str
    """Rule that is broken."""
    message: str
    """What is wrong."""
    hint: NotRequired[str]
    """What would be right."""
    file: NotRequired[str]
    """Definition file, relative to the user directory."""
    line: NotRequired[int]
    """Line in that file, from 1."""
    column: NotRequired[int]
    """Column in that line, from 1."""


class Problem(TypedDict):
    """RFC 9457 problem details."""

    type: str
    """Identifies the kind of problem."""
    title: str
    """The kind of problem, in words."""
    status: int
    """HTTP status."""
    detail: str
    """What is wrong with this request."""
    code: Literal["malformed_json", "bad_request", "unauthorized", "forbidden", "not_found", "unknown_lab", "unknown_device", "unknown_function", "duplicate_name", "device_in_use", "wrong_state", "quota_exceeded", "events_pruned", "idempotency_key_in_progress", "idempotency_key_reused", "outcome_unknown", "answer_not_kept", "payload_too_large", "uri_too_long", "unsupported_media_type", "range_not_satisfiable", "misdirected", "upgrade_required", "invalid", "unknown_protocol", "unknown_task_type", "backlog_full", "too_many_requests", "device_error", "optimizer_error", "optimizer_unavailable", "device_unavailable", "agent_unreachable", "service_unavailable", "store_unavailable", "stale_message", "late_message", "deadline_exceeded", "disconnected", "aborted", "internal"]
    """Stable identifier of the kind of problem."""
    effect: NotRequired[Literal["none", "maybe", "done"]]
    """What is known about the physical effect of the request."""
    errors: NotRequired[list[ProblemErrorsItem]]
    author_stack: NotRequired[str]
    """Stack of the author's code that failed. It has paths inside the package only."""
    instance: NotRequired[str]
    """Path of the request."""


class ProtocolChange(TypedDict):
    type: str
    """Type name of the protocol."""
    loaded: bool
    """True: the protocol is loaded."""
    hash: str | None
    """Content hash of the loaded version, or else of the version on disk; null when that has errors."""
    still_running: list[str]
    """Work that continues with the version that it was accepted with."""


class ProtocolRunChange(TypedDict):
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. The scheduler uses the new priority at its next
    decision. Running tasks are not interrupted."""
    parameters: NotRequired[dict[str, dict[str, Any]]]
    """Task name to parameter name to value. Parameters that are not named stay as they are. Allowed for tasks
    whose first attempt has not begun."""


class ProtocolRunRecord(TypedDict):
    id: str
    """Unique identifier of the record."""
    owner: str
    """Label of the owner of the work."""
    priority: int
    """When work competes, the higher priority goes first."""
    reason: Reason | None
    meta: dict[str, Any]
    """Free object kept with the record."""
    definition_hash: str
    """Content hash of the definitions that the work was accepted with."""
    cancel_requested_at: str | None
    """When a person asked to cancel the work that has not stopped yet; else null."""
    created_at: str
    """When the service accepted the work."""
    started_at: str | None
    """When the first part of the work started."""
    ended_at: str | None
    """When the work reached its last state."""
    archived_at: str | None
    """When the work, or the work that it belongs to, was archived; null: it is not archived."""
    failure_policy: dict[str, TaskFailurePolicy]
    """Task name to what the submission says about its failures. It overrides the protocol."""
    paused_at: str | None
    """When a person or a failed run paused it; null: it is not paused."""
    estimated_completion: str | None
    """When the work is expected to end; null: not known, or the work has ended."""
    name: str
    """Unique name."""
    type: str
    """Protocol type."""
    campaign: str | None
    """Campaign that the protocol run belongs to, if any."""
    parameters: dict[str, dict[str, Any]]
    """Task name to parameter name to value."""
    state: Literal["created", "running", "paused", "completed", "failed", "cancelled", "needs_attention"]
    tasks: list[TaskRunRecord]
    """The tasks, in the order of the protocol."""


class ProtocolRunSubmission(TypedDict):
    name: str
    """Unique name of the protocol run."""
    type: str
    """Type name of the protocol."""
    owner: NotRequired[str]
    """Label of the owner of the work. Default: empty."""
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. Default: 0."""
    parameters: NotRequired[dict[str, dict[str, Any]]]
    """Task name to parameter name to value. Every `svc_dynamic` parameter of the protocol needs a value."""
    failure_policy: NotRequired[dict[str, TaskFailurePolicy]]
    """Task name to what the service does about its failures. It overrides the protocol."""
    resume: NotRequired[bool]
    """True: resumes the protocol run of this name that failed or was cancelled. It keeps its first submission and
    its completed tasks. Default: false."""
    meta: NotRequired[dict[str, Any]]
    """Free object kept with the record."""


class ProtocolRunSummary(TypedDict):
    id: str
    """Unique identifier of the record."""
    owner: str
    """Label of the owner of the work."""
    priority: int
    """When work competes, the higher priority goes first."""
    reason: Reason | None
    meta: dict[str, Any]
    """Free object kept with the record."""
    definition_hash: str
    """Content hash of the definitions that the work was accepted with."""
    cancel_requested_at: str | None
    """When a person asked to cancel the work that has not stopped yet; else null."""
    created_at: str
    """When the service accepted the work."""
    started_at: str | None
    """When the first part of the work started."""
    ended_at: str | None
    """When the work reached its last state."""
    archived_at: str | None
    """When the work, or the work that it belongs to, was archived; null: it is not archived."""
    failure_policy: dict[str, TaskFailurePolicy]
    """Task name to what the submission says about its failures. It overrides the protocol."""
    paused_at: str | None
    """When a person or a failed run paused it; null: it is not paused."""
    estimated_completion: str | None
    """When the work is expected to end; null: not known, or the work has ended."""
    name: str
    """Unique name."""
    type: str
    """Protocol type."""
    campaign: str | None
    """Campaign that the protocol run belongs to, if any."""
    parameters: dict[str, dict[str, Any]]
    """Task name to parameter name to value."""
    state: Literal["created", "running", "paused", "completed", "failed", "cancelled", "needs_attention"]


class ProtocolSelection(TypedDict):
    protocol_types: list[str]
    """Type names of protocols."""
    drain: NotRequired[bool]
    """True: unloads the protocol although runs or campaigns of it continue. They keep the definition that they
    were accepted with. Default: false."""


class ProtocolText(TypedDict):
    protocol_yaml: str
    """Text of an `experiment.yml`, templates included."""
    file_name: NotRequired[str]
    """Name of the file in the errors."""


class QueuePage(TypedDict):
    paused: bool
    """True: no task starts until a person resumes the queue."""
    paused_by: str | None
    """Person who paused the queue."""
    paused_at: str | None
    """When the person paused the queue."""
    waiting: int
    """Task runs that have not started: those ready to start and those that wait for other tasks."""
    drained_by: str | None
    """Person who drains the queue: no protocol run and no on-demand task begins. Null: nobody does."""
    drained_at: str | None
    """When the person began to drain the queue."""
    queued: int
    """Task runs that are ready to start. Task runs that wait for other tasks do not count."""
    running: int
    """Task runs that run."""
    items: list[QueuedTask]
    """The tasks that wait, in their order."""
    next_cursor: str | None
    """Leads to the next page; null: this is the last page."""


class QueueRecord(TypedDict):
    paused: bool
    """True: no task starts until a person resumes the queue."""
    paused_by: str | None
    """Person who paused the queue."""
    paused_at: str | None
    """When the person paused the queue."""
    waiting: int
    """Task runs that have not started: those ready to start and those that wait for other tasks."""
    drained_by: str | None
    """Person who drains the queue: no protocol run and no on-demand task begins. Null: nobody does."""
    drained_at: str | None
    """When the person began to drain the queue."""
    queued: int
    """Task runs that are ready to start. Task runs that wait for other tasks do not count."""
    running: int
    """Task runs that run."""


class QueuedTask(TypedDict):
    """A task that waits, at its place in the queue."""

    position: int
    """Place among all tasks that wait, from 1."""
    id: str
    """Id of the task run."""
    label: str
    """`<protocol run>/<task>`, or the on-demand task."""
    name: str
    """Name in the protocol, or name of the on-demand task."""
    type: str
    """Task type."""
    protocol_run: str | None
    """Protocol run that the task belongs to; null for an on-demand task."""
    campaign: str | None
    """Campaign that the work belongs to, if any."""
    owner: str
    """Owner of the work."""
    state: Literal["created", "queued", "running", "completed", "failed", "cancelled", "skipped", "needs_attention"]
    """`created`: the task waits for other tasks. `queued`: the task waits to start."""
    priority: int
    """When work competes, the higher priority goes first."""
    effective_priority: int
    """The priority, raised by the time that the task has waited."""
    waiting_since: str
    """When the last task that it depends on ended; for a task that still depends on others: when it was created."""
    waited: float
    """Seconds since then."""
    planned_start: str | None
    """When the plan starts the task; null: not planned."""
    waits_for: list[WaitCause]
    """Why the task has not started."""


class Reason(TypedDict):
    """Why a record is in its state."""

    code: str
    """Stable identifier."""
    message: str
    """The reason in words."""
    stack: NotRequired[str]
    """Stack of the author's code. It has paths inside the package only."""


class RefusalRecord(TypedDict):
    """Refusals of one kind, of one caller from one address, within about a minute."""

    id: str
    """Unique identifier of the record."""
    kind: Literal["no_token", "wrong_token", "wrong_ticket", "role", "origin", "too_many", "webhook_address"]
    """`no_token`, `wrong_token`: 401. `wrong_ticket`: the address of an upload or download that is not valid.
    `role`: 403, the caller lacks a role. `origin`: 403, a page of another site or a foreign name of this service.
    `too_many`: 429. `webhook_address`: a webhook may not reach the address."""
    principal: str
    """Name of the caller; empty: the request proved none."""
    address: str
    """Address that the requests came from, or the network of 64 bits of an IPv6 address; `others`: one of many
    addresses in that minute."""
    count: int
    """Number of refusals."""
    first_at: str
    """The first of them."""
    last_at: str
    """The last of them."""
    action: str
    """What the last request tried."""
    request_id: str | None
    """Id of the last request in the log."""


class RemovedCounts(TypedDict):
    task_runs: int
    """Number of task runs."""
    files: int
    """Number of files."""
    bytes: int
    """Size of the files in bytes."""


ReservationRecord = TypedDict(
    "ReservationRecord",
    {
        "id": "str",
        "lab": "str",
        "device": "str | None",
        "resource": "str | None",
        "by": "str",
        "reason": "str",
        "from": "str",
        "to": "str",
        "created_at": "str",
    },
)


ReservationRequest = TypedDict(
    "ReservationRequest",
    {
        "lab": "str",
        "device": "NotRequired[str]",
        "resource": "NotRequired[str]",
        "from": "str",
        "to": "str",
        "reason": "str",
        "by": "NotRequired[str]",
    },
)


class ResourceChange(TypedDict):
    meta: dict[str, Any]
    """Metadata to set, by name. A value replaces that of the same name; null removes it."""
    reason: NotRequired[str]
    """Reason, for the history of the resource and for the audit."""
    force: NotRequired[bool]
    """True: changes the data also while a task or a protocol run has the resource; this needs a reason. Default:
    false."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class ResourceRecord(TypedDict):
    name: str
    """Name of the resource."""
    type: str
    """Resource type."""
    meta: dict[str, Any]
    """Metadata, for example the capacity."""
    lab: str
    """Laboratory."""
    used_by: str | None
    """Task that uses the resource: `<protocol run>/<task>`, or an on-demand task; null: none."""
    held_by: str | None
    """Protocol run that keeps the resource between its tasks; null: none."""
    since: str | None
    """Since when that task or run has the resource; null: the resource is free."""


class ResourceReset(TypedDict):
    reason: NotRequired[str]
    """Reason, for the history of the resource and for the audit."""
    force: NotRequired[bool]
    """True: resets the resource also while a task or a protocol run has it; this needs a reason. If a running task
    holds the resource, the values that the task reports when it ends replace the reset. Default: false."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class ResourceUse(TypedDict):
    """A use of a resource by a task, or a change of its data by a person."""

    kind: Literal["task", "reset", "set"]
    """`task`: a task used the resource. `reset`: a person reset its data to the lab file. `set`: a person changed
    its data."""
    task_run_id: str | None
    """Id of the task run. For an act of a person this field and those up to `slot` are null."""
    task: str | None
    """Name of the task."""
    type: str | None
    """Task type."""
    protocol_run: str | None
    """Protocol run of the task; null for an on-demand task."""
    campaign: str | None
    """Campaign of the protocol run, if any."""
    state: Literal["created", "queued", "running", "completed", "failed", "cancelled", "skipped", "needs_attention", None]
    slot: str | None
    """Resource handle of the task that the resource filled."""
    taken: dict[str, Any]
    """Metadata when the task got the resource, or before the act of a person."""
    left: dict[str, Any] | None
    """Metadata after the task or the act of a person; null: the task has not reported any."""
    by: str | None
    """Person who reset or set the data; null for a task."""
    reason: str | None
    """Reason of the person; null for a task."""
    started_at: str
    """When the task started, or when the person acted."""
    ended_at: str | None
    """When the task ended, or when the person acted."""


class ResourceValue(TypedDict):
    name: str
    """Name of the resource."""
    type: str
    """Resource type."""
    meta: dict[str, Any]
    """Metadata, for example the capacity."""


class RetryPolicy(TypedDict):
    attempts: int
    """Number of attempts in all, the first one included."""
    backoff: NotRequired[float]
    """Seconds before the second attempt. The pause doubles before each further attempt. Default: 1."""


class RevocationSubmission(TypedDict):
    reason: NotRequired[str]
    """Why it is revoked."""


class RevokedTokens(TypedDict):
    revoked: int
    """Number of tokens that the request revoked."""


class RolloutDecision(TypedDict):
    reason: NotRequired[str]
    """Reason, for the audit."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


class RolloutRecordHalt(TypedDict):
    """Why the rollout is halted; null: it is not."""

    computer: str
    """The computer in question."""
    reason: str
    """Why the rollout was halted."""
    at: str
    """When it was halted."""


class RolloutRecordComputersItem(TypedDict):
    """How far the rollout is with a computer."""

    computer: str
    """Name of the computer."""
    ring: int
    """Number of its ring, from 1."""
    state: Literal["waiting", "draining", "updating", "restarting", "initializing", "updated", "failed"]
    version_before: str
    """Version before the rollout."""
    platform: str
    """Operating system and processor."""
    since: str
    """Since when it has this state."""
    detail: str | None
    """What it waits for, or why it failed."""


class RolloutRecordLeftOutItem(TypedDict):
    computer: str
    """Name of the computer."""
    reason: str
    """Why the rollout does not update it."""


class RolloutRecord(TypedDict):
    """A rollout: an update of the agents of several computers, ring by ring. Times are ISO 8601 in UTC."""

    id: str
    """Unique identifier."""
    version: str
    """Version to which the agents are updated."""
    state: Literal["running", "halted", "completed", "cancelled"]
    by: str
    """Person who started it."""
    reason: str
    """Reason."""
    settle_s: int
    """Seconds for which each ring is watched before the next one, or the end."""
    created_at: str
    """When it was started."""
    ended_at: str | None
    """When it was completed or cancelled."""
    ended_by: str | None
    """Person who cancelled it; `service`: it was completed."""
    halt: RolloutRecordHalt | None
    """Why the rollout is halted; null: it is not."""
    waits_for: str | None
    """What it waits for; null: for nothing, or it is over."""
    computers: list[RolloutRecordComputersItem]
    """The computers, by ring and name."""
    left_out: list[RolloutRecordLeftOutItem]
    """Computers that the rollout does not update."""


class RolloutSubmission(TypedDict):
    version: str
    """Version to which the agents are updated. It may be older."""
    computers: NotRequired[list[str]]
    """Names of the computers. Default: all whose agent is connected and runs another version."""
    canary: NotRequired[str]
    """The computer that is updated first. Default: the first by name."""
    settle_s: NotRequired[int]
    """Seconds between the last update of a ring and the first of the next, or the end of the rollout. Default 600."""
    reason: str
    """Reason. The service shows it to everybody who waits."""
    by: NotRequired[str]
    """Person who decides, for the audit. Default: "unknown"."""


RuntimeParameters = dict[str, Any]


class ScheduleRecord(TypedDict):
    policy: Literal["greedy", "cpsat"]
    """The scheduling policy."""
    at: str
    """The moment that the schedule describes."""
    plan: PlanRecord | None
    tasks: list[ScheduledTask]
    """First the tasks that run, then those that wait, in the order of their planned starts or else of the queue,
    then those that have ended. With `from` and `to`: in the order of their actual or planned starts."""
    tasks_total: int
    """Number of tasks, listed or not. With `from` and `to`, the number of listed tasks."""
    truncated: bool
    """True: there are more tasks than `limit`, which are not listed."""
    units: list[ScheduledUnit]
    """Devices and resources of the loaded laboratories, by kind and name."""
    protocol_runs: list[ScheduledRun]
    campaigns: list[ScheduledCampaign]


class ScheduledCampaign(TypedDict):
    id: str
    """Id of the campaign."""
    name: str
    """Campaign."""
    state: Literal["created", "running", "paused", "completed", "failed", "cancelled", "needs_attention"]
    runs_total: int
    """Number of protocol runs of the campaign; 0: no limit."""
    runs_started: int
    """Protocol runs that have begun."""
    runs_completed: int
    """Protocol runs that have completed."""
    runs_failed: int
    """Protocol runs that have failed."""
    estimated_completion: str | None
    """When the last run is expected to end; null: not known."""


class ScheduledRun(TypedDict):
    id: str
    """Id of the protocol run."""
    name: str
    """Protocol run."""
    campaign: str | None
    """Campaign that the work belongs to, if any."""
    state: Literal["created", "running", "paused", "completed", "failed", "cancelled", "needs_attention"]
    priority: int
    """When work competes, the higher priority goes first."""
    tasks_total: int
    """Number of tasks of the run."""
    tasks_ended: int
    """Number of tasks of the run that have ended."""
    estimated_completion: str | None
    """When the last task is expected to end; null: not planned, paused, or waiting for a person."""


class ScheduledTaskFirstPlan(TypedDict):
    """The plan when the task was first planned. It never changes. Null: no plan has had the task."""

    start: str
    """When the plan starts the task."""
    end: str
    """When the plan ends the task."""
    at: str
    """When the plan was made."""
    devices: dict[str, str]
    """Device handle to the planned device."""


class ScheduledTaskLastPlan(TypedDict):
    """The last plan before the task started. A retry replaces it. Null: it has not started, or no plan had it."""

    start: str
    """When the plan starts the task."""
    end: str
    """When the plan ends the task."""
    at: str
    """When the plan was made."""
    devices: dict[str, str]
    """Device handle to the planned device."""


class ScheduledTaskDuration(TypedDict):
    """How long the task is expected to take. Null and 0 for a task of work that has ended."""

    expected: float | None
    """Seconds that the plan assumes; null: nothing is known."""
    declared: float | None
    """Seconds that the protocol declares; null: not declared."""
    learned: float | None
    """Median of the latest completed attempts in seconds; null: fewer than 3 are known."""
    samples: int
    """Number of completed attempts that are known, at most 32."""


class ScheduledTask(TypedDict):
    """A task that runs, waits or has ended."""

    id: str
    """Id of the task run."""
    label: str
    """`<protocol run>/<task>`, or the on-demand task."""
    name: str
    """Name in the protocol, or name of the on-demand task."""
    type: str
    """Task type."""
    protocol_run: str | None
    """Protocol run that the task belongs to; null for an on-demand task."""
    campaign: str | None
    """Campaign that the work belongs to, if any."""
    priority: int
    """When work competes, the higher priority goes first."""
    state: Literal["created", "queued", "running", "completed", "failed", "cancelled", "skipped", "needs_attention"]
    planned_start: str | None
    """When the plan starts the task; null: not planned."""
    planned_end: str | None
    """When the task is expected to end; null: not planned."""
    first_plan: ScheduledTaskFirstPlan | None
    """The plan when the task was first planned. It never changes. Null: no plan has had the task."""
    last_plan: ScheduledTaskLastPlan | None
    """The last plan before the task started. A retry replaces it. Null: it has not started, or no plan had it."""
    started_at: str | None
    """When the task started."""
    ended_at: str | None
    """When the task ended."""
    late_by_s: float | None
    """Seconds later than the greatest lag after its dependencies allowed; null: not late."""
    duration: ScheduledTaskDuration
    """How long the task is expected to take. Null and 0 for a task of work that has ended."""
    devices: dict[str, str]
    """Device handle to the device that the task has or had, else to the planned device."""
    resources: dict[str, str]
    """Resource handle to the resource that the task has or had, else to the planned resource."""
    waits_for: list[WaitCause]
    """Why the task has not started; empty when it has started or has ended."""


class ScheduledUnitTimelineItem(TypedDict):
    task: str
    """Id of the task run."""
    label: str
    """`<protocol run>/<task>`, or the on-demand task."""
    start: str
    """When the task started or is planned to start."""
    end: str | None
    """When the task ended or is expected to end; null: not known."""
    planned: bool
    """True: the task has not started."""


class ScheduledUnit(TypedDict):
    """A device or a resource, and the tasks that use it."""

    kind: Literal["device", "resource"]
    name: str
    """`<lab>.<device>` or the resource."""
    usable: bool
    """True: the unit may be given to a task at present."""
    unusable_because: str | None
    """Why the unit may not be given to a task; null when it may."""
    used_by: str | None
    """Task that uses the unit at present."""
    held_by: str | None
    """Protocol run that keeps the unit."""
    free_at: str | None
    """When the unit is expected to be free for other work; null: it is free, or not known."""
    timeline: list[ScheduledUnitTimelineItem]
    """Tasks on the unit in the order of their starts: first those that started, then those that are planned."""


class SecretRotation(TypedDict):
    overlap_s: NotRequired[int]
    """Seconds for which the old secret signs beside the new one. Default: 86400, a day. 0: not at all."""


class ServiceEvent(TypedDict):
    """An event of one record."""

    id: int
    """Number of the event. It rises with every event, in the order of the commits. It may have gaps."""
    type: str
    """`<kind>.<what happened>`, for most kinds the new state of the record. The kinds are task_run, attempt,
    protocol_run, campaign, trial, device, device_file, agent, rollout, attention, halt, resource, lab, protocol."""
    schema: Any
    """Version of the shape of events: 1."""
    aggregate: str
    """`<kind>/<id of the record>`."""
    seq: int
    """Number of the event within the aggregate, from 1, without gaps."""
    at: str
    """When the service decided it."""
    body: dict[str, Any]
    """The record at that moment, in short. Fields may be added. Within a version none is removed, and none changes
    its meaning."""


class ServiceSummaryWork(TypedDict):
    """null: the caller has no role `viewer` for all laboratories, or the service cannot tell at this moment."""

    waiting: int
    """Task runs that have not started."""
    running: int
    """Task runs that run."""
    open_questions: int
    """Attention items that wait for a person; 500 means 500 or more."""


class ServiceSummaryReleaseSchema(TypedDict):
    latest: str
    """Last migration of the database."""
    oldest_reader: str
    """Last migration of the oldest release that works with the database."""
    known: str
    """Last migration that the gateway knows."""


class ServiceSummaryRelease(TypedDict):
    """What an upgrade begins with. null: the caller has no role `viewer` for all laboratories, or the service
    cannot tell at this moment."""

    orchestrator: str
    """Version of the orchestrator that leads."""
    schema: ServiceSummaryReleaseSchema


class ServiceSummaryLinks(TypedDict):
    """Where to go on."""

    api: str
    """Description of the REST interface."""
    guide: str
    """The guide, in Markdown."""
    health: str
    """Whether the service can do its work."""
    metrics: str
    """Metrics for Prometheus."""


class ServiceSummary(TypedDict):
    name: str
    """What this is."""
    version: str
    """Version of the program."""
    health: HealthReport
    work: ServiceSummaryWork | None
    """null: the caller has no role `viewer` for all laboratories, or the service cannot tell at this moment."""
    release: ServiceSummaryRelease | None
    """What an upgrade begins with. null: the caller has no role `viewer` for all laboratories, or the service
    cannot tell at this moment."""
    links: ServiceSummaryLinks
    """Where to go on."""


class SessionRecord(TypedDict):
    id: str
    """Id of the session, as the list of tokens shows it."""
    name: str
    """Owner of the work that is submitted, and the name in the audit."""
    grants: list[Grant]
    expires_at: str
    """When the session ends, whatever happens."""
    idle_minutes: int
    """Minutes without a request after which the session ends before."""


class SettingField(TypedDict):
    """A setting as a form shows it."""

    key: str
    """Name of the setting."""
    type: Literal["checkbox", "number", "text", "select"]
    """How a form shows the setting."""
    default: Any
    """A boolean, number, text or null."""
    runtime: bool
    """True: the setting may be changed while the campaign runs."""
    options: NotRequired[list[str]]
    """The options of a `select`."""
    min: NotRequired[float]
    """Smallest value of a `number`."""
    max: NotRequired[float]
    """Largest value of a `number`."""
    description: NotRequired[str]
    """What the setting is for."""


class SimulatedCall(TypedDict):
    task: str
    """Task type, `<protocol>.<task>`, or the label of one task: `<protocol run>/<task>`. The calls of a task are
    made one after the other."""
    device: str
    """Handle of the device in the task."""
    function: str
    """Function that `init_parameters.functions` of the device declares."""
    arguments: NotRequired[dict[str, Any]]
    """Arguments. `{name}` is the input parameter of the task with this name."""
    until: NotRequired[dict[str, Any]]
    """Values of the state of the twin, by name: the task waits after the call until all are reached."""
    output: NotRequired[str]
    """Output parameter of the task that gets the result."""


class SimulatedCampaign(TypedDict):
    protocol: str
    """Type name of the protocol to run."""
    max_protocol_runs: int
    """Number of protocol runs."""
    max_concurrent_protocol_runs: NotRequired[int]
    """Most protocol runs of the campaign that may run at the same time. Default: 1."""
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. Default: 0."""
    at: NotRequired[float]
    """Seconds from the beginning to its arrival. Default: 0."""
    global_parameters: NotRequired[dict[str, dict[str, Any]]]
    """Parameters of every run. The simulation chooses a valid value for a parameter that is absent."""


class SimulatedFailure(TypedDict):
    task: str
    """Task type, `<protocol>.<task>`, or the label of one task: `<protocol run>/<task>`."""
    probability: float
    """Probability that an attempt fails, from 0 to 1."""
    effects: NotRequired[bool]
    """True: a failed attempt has caused physical effects before it fails. The task is then repeated only where
    that is safe. Default: true."""


SimulatedLoss = TypedDict(
    "SimulatedLoss",
    {
        "device": "str",
        "at": "float",
        "for": "NotRequired[float]",
    },
)


class SimulatedPace(TypedDict):
    task: str
    """Task type, `<protocol>.<task>`, or the label of one task: `<protocol run>/<task>`."""
    parameter: str
    """Parameter of the task with a number."""
    each: float
    """Seconds for each unit of the parameter."""
    base: NotRequired[float]
    """Seconds that the task takes in any case. Default: 0."""


class SimulatedRunRecord(TypedDict):
    name: str
    """Name of the protocol run."""
    type: str
    """Type of the protocol."""
    campaign: str | None
    """Campaign that the protocol run belongs to."""
    priority: int
    """Priority of the protocol run."""
    state: Literal["created", "running", "paused", "completed", "failed", "cancelled", "needs_attention"]
    submitted: float
    """Seconds from the beginning to its arrival."""
    start: float | None
    """Start of its first task, in seconds from the beginning; null: never."""
    end: float | None
    """End of the protocol run, in seconds from the beginning; null: never."""


class SimulatedRuns(TypedDict):
    type: str
    """Type name of the protocol."""
    iterations: NotRequired[int]
    """Number of runs. Default: 1."""
    max_concurrent: NotRequired[int]
    """Most of these runs that may run at the same time. Default: no limit."""
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. Default: 0."""
    at: NotRequired[float]
    """Seconds from the beginning to the first arrival. Default: 0."""
    every: NotRequired[float]
    """Seconds from one arrival to the next. Default: 0, all arrive at once."""
    parameters: NotRequired[dict[str, dict[str, Any]]]
    """Parameters as in a submission. The simulation chooses a valid value for a dynamic parameter that is absent."""


class SimulatedScheduler(TypedDict):
    type: NotRequired[Literal["greedy", "cpsat"]]
    """Scheduling policy. Default: `greedy`."""
    seed: NotRequired[int]
    """Random seed of the searches of `cpsat`. Default: 1."""
    resolution: NotRequired[float]
    """Seconds of one tick of `cpsat`. Default: 0.1."""
    frozen_window: NotRequired[float]
    """Seconds within which `cpsat` no longer moves a start. Default: 30."""
    rounds: NotRequired[int]
    """Rounds of one search of `cpsat`. They replace the time limit, so that the same seed gives the same report.
    Default: depends on the size of the plan."""


class SimulatedTaskRecord(TypedDict):
    label: str
    """`<protocol run>/<task>`, or the name of the on-demand task."""
    type: str
    """Task type."""
    protocol_run: str | None
    """Protocol run of the task; null for an on-demand task."""
    priority: int
    """Priority of the task."""
    state: Literal["created", "queued", "running", "completed", "failed", "cancelled", "skipped", "needs_attention"]
    attempts: int
    """Number of attempts."""
    ready: float | None
    """When only devices and resources were missing, in seconds from the beginning; null: never."""
    start: float | None
    """Start of the latest attempt, in seconds from the beginning; null: never."""
    end: float | None
    """End of the latest attempt, in seconds from the beginning; null: never."""
    devices: dict[str, str]
    """Device handle to `<lab>.<device>`."""
    resources: dict[str, str]
    """Resource handle to the name of the resource."""
    waited: WaitingTimes


class SimulatedTasks(TypedDict):
    type: str
    """Type name of the task."""
    count: NotRequired[int]
    """Number of tasks. Default: 1."""
    at: NotRequired[float]
    """Seconds from the beginning to the first arrival. Default: 0."""
    every: NotRequired[float]
    """Seconds from one arrival to the next. Default: 0, all arrive at once."""
    duration: NotRequired[float]
    """Seconds that one task takes. Default: 1."""
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. Default: 0."""
    devices: NotRequired[dict[str, DeviceReference]]
    """Device handle of the task to the device that the task uses."""
    input_resources: NotRequired[dict[str, str]]
    """Resource handle of the task to the name of the resource that the task uses."""
    input_parameters: NotRequired[dict[str, Any]]
    """Parameter name to value. The simulation chooses a valid value for a parameter that is absent."""
    allocation_timeout: NotRequired[float]
    """Seconds within which one task must start, as in a submission. Default: 600."""


class SimulatedUnitRecordTimelineItem(TypedDict):
    what: Literal["use", "hold", "out"]
    by: str | None
    """Task that used the unit, or protocol run that kept it; null: out of order."""
    start: float
    """Seconds from the beginning."""
    end: float
    """Seconds from the beginning."""


class SimulatedUnitRecord(TypedDict):
    kind: Literal["device", "resource"]
    name: str
    """`<lab>.<device>` or the name of the resource."""
    busy: float
    """Seconds of use."""
    held: float
    """Seconds in which a protocol run kept the unit between two tasks."""
    out: float
    """Seconds out of order."""
    utilisation: float
    """Share of the makespan in which the unit was in use."""
    timeline: list[SimulatedUnitRecordTimelineItem]
    """In the order of time."""


class SimulationRecordParallelism(TypedDict):
    max: int
    """Most tasks at the same time."""
    average: float
    """Average number of tasks at the same time."""


class SimulationRecordStuckItem(TypedDict):
    task: str
    """`<protocol run>/<task>`, or the name of the on-demand task."""
    waits_for: list[str]


class SimulationRecordEventsItem(TypedDict):
    at: float
    """Seconds from the beginning."""
    what: str
    """What happened."""
    subject: str
    """Device or task that it happened to."""
    detail: str
    """Details; may be empty."""


class SimulationRecordPlanning(TypedDict):
    plans: int
    """Number of plans that the policy made."""
    total_ms: float
    """Real milliseconds of all plans."""
    max_ms: float
    """Real milliseconds of the longest plan."""


class SimulationRecord(TypedDict):
    scheduler: Literal["greedy", "cpsat"]
    jitter: float
    """The jitter of the scenario."""
    seed: int
    """The random seed of the scenario."""
    outcome: Literal["completed", "stuck", "horizon"]
    """`completed`: all work has ended, well or not. `stuck`: the remaining tasks wait for ever. `horizon`: the
    time was over before the work was."""
    makespan: float
    """Seconds from the first start of a task to the end of the last one."""
    end: float
    """Seconds from the beginning to the end of the last task."""
    parallelism: SimulationRecordParallelism
    tasks_total: int
    """Number of tasks."""
    tasks_by_state: dict[str, int]
    """State to number of tasks."""
    waiting: WaitingTimes
    protocol_runs: list[SimulatedRunRecord]
    tasks: list[SimulatedTaskRecord]
    units: list[SimulatedUnitRecord]
    """Devices and resources, by kind and name."""
    stuck: list[SimulationRecordStuckItem]
    """Tasks that could never start, and why; at most 100."""
    events: list[SimulationRecordEventsItem]
    """Failures, losses and other incidents, in the order of time."""
    planning: SimulationRecordPlanning


class SimulationScenario(TypedDict):
    labs: NotRequired[list[str]]
    """Names of laboratories. Default: all that are loaded."""
    scheduler: NotRequired[SimulatedScheduler]
    jitter: NotRequired[float]
    """Largest share by which a task takes longer or shorter than expected, from 0 to 0.99. Default: 0."""
    seed: NotRequired[int]
    """Random seed of durations and failures. The same task draws the same values under every policy. Default: 1."""
    horizon: NotRequired[float]
    """Seconds after which the simulation ends. Default: 2592000, 30 days."""
    protocols: NotRequired[list[SimulatedRuns]]
    """Protocol runs."""
    campaigns: NotRequired[list[SimulatedCampaign]]
    """Campaigns."""
    tasks: NotRequired[list[SimulatedTasks]]
    """On-demand tasks."""
    durations: NotRequired[dict[str, float]]
    """Seconds that tasks really take. They replace the expected durations. The name is a task type,
    `<protocol>.<task>` or the label `<protocol run>/<task>`; the most specific name counts."""
    paces: NotRequired[list[SimulatedPace]]
    """Durations that depend on a parameter. `durations` of the same task go first; otherwise the most specific
    name counts."""
    failures: NotRequired[list[SimulatedFailure]]
    """Attempts that fail."""
    calls: NotRequired[list[SimulatedCall]]
    """Calls of devices with twins. A task with calls takes as long as they do, unless `durations` names it."""
    losses: NotRequired[list[SimulatedLoss]]
    """Devices that are out of order for a while."""


class StoppedDeviceDoing(TypedDict):
    """The call in progress that may move the device; null: none, as far as is known."""

    call_id: str
    """Unique identifier of the call."""
    function: str
    """Function of the device."""
    arguments: dict[str, Any]
    """Arguments of the call. A long value is cut, and a secret one is masked."""
    since: str
    """When the call began."""
    attempt_id: NotRequired[str]
    """Attempt that made the call; absent: a person made it."""


class StoppedDeviceLastKnown(TypedDict):
    """What the agent of an unreachable device said last; null when the device is reachable, or its agent was never
    heard."""

    state: Literal["disabled", "initializing", "idle", "busy", "aborting", "uncertain", "restarting", "faulted", "unreachable"]
    at: str
    """When the agent was last heard."""


class StoppedDevice(TypedDict):
    lab_name: str
    """Laboratory."""
    name: str
    """Name within the laboratory."""
    computer: str
    """Computer whose agent runs the device."""
    state: Literal["stopped", "stopping", "not_reached", "unknown"]
    """`stopped`: its agent says that nothing of it moves. `stopping`: its agent has the stop, and a call or
    `_stop` is in progress. `not_reached`: its agent has not answered. `unknown`: its agent cannot know whether the
    instrument stands still, or does not run the device."""
    detail: str | None
    """Why the device is not `stopped`, in words; null when it is."""
    held_by: str | None
    """Task run that holds the device."""
    doing: StoppedDeviceDoing | None
    """The call in progress that may move the device; null: none, as far as is known."""
    last_known: StoppedDeviceLastKnown | None
    """What the agent of an unreachable device said last; null when the device is reachable, or its agent was never
    heard."""


class SubmissionEstimateTasksItem(TypedDict):
    name: str
    """Name of the task."""
    starts_at: str | None
    """When the task would start; null: never."""
    ends_at: str | None
    """When the task would end; null: never."""
    waited: WaitingTimes


class SubmissionEstimate(TypedDict):
    at: str
    """The moment that the estimate describes."""
    scheduler: Literal["greedy", "cpsat"]
    starts_at: str | None
    """When the first task would start; null: never, or not known."""
    ends_at: str | None
    """When all of the work would be completed; null: never, or not known."""
    seconds_per_run: float | None
    """Average seconds from the start of a run to its end, or seconds of the task; null: no run would end."""
    runs: int
    """Number of runs that were simulated; 0 for a task."""
    tasks: list[SubmissionEstimateTasksItem]
    """The tasks of the run, of the first run of the campaign, or the task itself."""
    reason: str | None
    """Why a part of the estimate is not known; null: all of it is known."""


class TaskChange(TypedDict):
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. The scheduler uses the new priority at its next
    decision. Running tasks are not interrupted."""
    input_parameters: NotRequired[dict[str, Any]]
    """Parameter name to value. Parameters that are not named stay as they are. Allowed until the first attempt of
    the task begins; in a protocol run only for dynamic parameters."""


class TaskFailurePolicy(TypedDict):
    timeout: NotRequired[float]
    """Seconds that one attempt may run. After that the service stops the attempt, and the attempt has failed.
    Default: no limit."""
    retry: NotRequired[RetryPolicy]
    """Tries the task again after a failure, but only if every device call of the attempt was a query or
    idempotent, or if the task type declares `retry_safe: true`. Default: no retry."""
    on_failure: NotRequired[Literal["fail_run", "skip", "ask"]]
    """When the task has failed and is not tried again: `fail_run` fails the run, `skip` continues with the tasks
    that do not depend on it, `ask` asks a person. Default: `fail_run`."""


class TaskFileRecord(TypedDict):
    name: str
    """Name that the task gave the file."""
    size: int
    """Size in bytes."""
    sha256: str
    """SHA-256 of the content, hexadecimal."""
    media_type: str
    """Media type that belongs to the file extension."""
    task_run_id: str
    """Id of the task run that produced the file."""
    task: str
    """Name of the task."""
    type: str
    """Task type."""
    protocol_run: str | None
    """Protocol run of the task; null for an on-demand task."""
    campaign: str | None
    """Campaign of the protocol run, if any."""
    owner: str
    """Label of the owner of the work."""
    attempt: int
    """Number of the attempt that produced the file."""
    created_at: str
    """When the task was created."""


class TaskRunRecordRuntime(TypedDict):
    """What really executed the code; null: not known."""

    name: Literal["node", "python"]
    """What executes the code."""
    version: str | None
    """Version of Node or Python, as the process of the code said; null: it did not say."""
    environment: str | None
    """SHA-256 of the lock of the libraries from PyPI; null: the code has none."""


class TaskRunRecord(TypedDict):
    id: str
    """Unique identifier of the record."""
    owner: str
    """Label of the owner of the work."""
    priority: int
    """When work competes, the higher priority goes first."""
    reason: Reason | None
    meta: dict[str, Any]
    """Free object kept with the record."""
    definition_hash: str
    """Content hash of the definitions that the work was accepted with."""
    cancel_requested_at: str | None
    """When a person asked to cancel the work that has not stopped yet; else null."""
    created_at: str
    """When the service accepted the work."""
    started_at: str | None
    """When the first part of the work started."""
    ended_at: str | None
    """When the work reached its last state."""
    archived_at: str | None
    """When the work, or the work that it belongs to, was archived; null: it is not archived."""
    name: str
    """Name in the protocol, or name of the on-demand task."""
    type: str
    """Task type."""
    protocol_run: str | None
    """Protocol run that the task belongs to; null for an on-demand task."""
    state: Literal["created", "queued", "running", "completed", "failed", "cancelled", "skipped", "needs_attention"]
    devices: dict[str, DeviceReference]
    """Device handle to the device that the task got."""
    input_parameters: dict[str, Any]
    """Parameter name to value."""
    input_resources: dict[str, ResourceValue]
    """Resource handle to the resource as the task got it."""
    input_files: dict[str, InputFileRecord]
    """File handle to the file that the task got from another task. A task of a protocol run has files once it has
    started."""
    output_parameters: dict[str, Any] | None
    """Parameter name to value; null until the task has completed."""
    output_resources: dict[str, ResourceValue] | None
    """Resource handle to the resource as the task left it."""
    output_files: list[FileRecord]
    """Files that the task produced."""
    attempt: int
    """Number of the latest attempt, from 1; 0 before the first attempt."""
    failures: int
    """Attempts that began and failed since the protocol run or a person last queued the task."""
    retry_at: str | None
    """For a task that waits after a failure: the task does not start again before this moment."""
    late_by_s: float | None
    """Seconds that the task started later than `max_lag` after its dependencies; null: in time, or no such lag."""
    computer: str | None
    """Computer that the latest attempt ran on."""
    code_hash: str | None
    """Content hash of the code of the task; null: not known."""
    runtime: TaskRunRecordRuntime | None
    """What really executed the code; null: not known."""
    allocation_timeout: float | None
    """Seconds within which an on-demand task must start."""
    failure_policy: TaskFailurePolicy
    queued_at: str | None
    """When all tasks that this task depends on were done."""


class TaskSubmission(TypedDict):
    name: str
    """Name, unique among queued and running on-demand tasks."""
    type: str
    """Type name of the task."""
    owner: NotRequired[str]
    """Label of the owner of the work. Default: empty."""
    devices: NotRequired[dict[str, DeviceReference]]
    """Device handle of the task to the device that the task uses."""
    input_parameters: NotRequired[dict[str, Any]]
    """Parameter name to value."""
    input_resources: NotRequired[dict[str, str]]
    """Resource handle of the task to the name of the resource that the task uses."""
    priority: NotRequired[int]
    """When work competes, the higher priority goes first. Default: 0."""
    allocation_timeout: NotRequired[float]
    """Seconds within which the task must start. After that the service records the task as failed. Default: 600."""
    timeout: NotRequired[float]
    """Seconds that one attempt may run. After that the service stops the attempt, and the attempt has failed.
    Default: no limit."""
    retry: NotRequired[RetryPolicy]
    """Tries the task again after a failure, under the same conditions as in a protocol."""
    meta: NotRequired[dict[str, Any]]
    """Free object kept with the record."""


class TaskTypeChange(TypedDict):
    type: str
    """Name of the task type."""
    hash: str
    """Content hash of the loaded version."""
    protocols: list[str]
    """Loaded protocols that use the task type from their next run on."""


class TaskTypeSelection(TypedDict):
    task_types: list[str]
    """Names of task types."""


class TokenExchange(TypedDict):
    grant_type: Literal["urn:ietf:params:oauth:grant-type:token-exchange"]
    """The kind of request."""
    subject_token: str
    """The signed token (JWT) that the issuer gave the pipeline."""
    subject_token_type: Literal["urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"]
    """The kind of the signed token."""


class TokenPage(TypedDict):
    items: list[TokenRecord]
    next_cursor: str | None
    """Leads to the next page; null: this is the last page."""


class TokenRecord(TypedDict):
    id: str
    """Id of the token. It is not the token itself."""
    prefix: str
    """The first characters of the token, to tell it from others."""
    kind: Literal["personal", "service", "session"]
    """Whether a person or a program uses the token. `session`: a browser uses it, and ends it."""
    name: str
    """Owner of the token. It is the owner of the work that is submitted with the token, and the name in the audit."""
    note: str
    """What the token is for."""
    grants: list[Grant]
    created_at: str
    """When the token was made."""
    created_by: str
    """Person who made the token."""
    issuer: str | None
    """Issuer that knows the owner; null: the name is one of this service."""
    subject: str | None
    """Who the owner is at the issuer: the claim `sub`."""
    pipeline: PipelineOrigin | None
    expires_at: str | None
    """When the token expires; null: it does not expire."""
    last_used_at: str | None
    """When the token was last used, to within about a minute; null: never."""
    revoked_at: str | None
    """When the token was revoked."""
    revoked_by: str | None
    """Person who revoked the token."""


class TokenSubmission(TypedDict):
    name: str
    """Owner of the token. It is the owner of the work that is submitted with the token, and the name in the audit."""
    kind: NotRequired[Literal["personal", "service"]]
    """Whether a person or a program uses the token. Default: `personal`."""
    grants: list[GrantSubmission]
    """What the token allows."""
    note: NotRequired[str]
    """What the token is for."""
    expires_in_days: NotRequired[int]
    """Days until the token expires. For a personal token: default 90, at most 366. For a service token: default
    never."""


class TrialNoteTokens(TypedDict):
    input: int
    """Tokens read."""
    output: int
    """Tokens written."""


class TrialNoteFallback(TypedDict):
    code: str
    """Stable code."""
    message: str
    """The cause in words."""


class TrialNoteSchedule(TypedDict):
    """Present if `batch` is `schedule_aware` and another row had a greater expected improvement."""

    reason: str
    """The reason in words."""
    worth: float
    """Its expected improvement, as a share of the greatest one."""
    seconds: float
    """Expected seconds from the moment at which its run may begin to the end of the run."""
    plain_seconds: float
    """The same for the row with the greatest expected improvement."""


class TrialNote(TypedDict):
    """How the parameters were found; `fallback`: why the AI was not used although it was its turn."""

    journal: NotRequired[str]
    """What the AI wrote about its suggestion."""
    model: NotRequired[str]
    """`<provider>:<model>` of the AI."""
    tokens: NotRequired[TrialNoteTokens]
    insights: NotRequired[list[str]]
    """Insights that the suggestion was made with."""
    fallback: NotRequired[TrialNoteFallback]
    adjusted: NotRequired[bool]
    """True: values were changed a little to fit the domain."""
    limits_used: NotRequired[list[str]]
    """Time limits that ended a computation early."""
    schedule: NotRequired[TrialNoteSchedule]
    """Present if `batch` is `schedule_aware` and another row had a greater expected improvement."""


class Trial(TypedDict):
    """The parameters of one run of a campaign. A trial belongs to the number of its run and never moves to
    another."""

    number: int
    """Number of the protocol run within the campaign, from 1."""
    run: str
    """Name of that run."""
    source: Literal["optimizer", "ai", "given"]
    """Who chose the inputs: the optimizer, the AI, or the submission."""
    state: Literal["proposed", "running", "measured", "failed"]
    inputs: dict[str, Any]
    """Values by `TASK.PARAMETER`."""
    outputs: dict[str, float] | None
    """Results by `TASK.PARAMETER`; null until measured."""
    additional: dict[str, Any]
    """Values of `ai_additional_parameters`, as far as they are known."""
    note: TrialNote
    """How the parameters were found; `fallback`: why the AI was not used although it was its turn."""
    durations: NotRequired[dict[str, float] | None]
    """Seconds that each task of its run took, by name of the task; null until the run has completed."""


class UsageRecord(TypedDict):
    """What an owner or a laboratory stores, and the quota for it."""

    kind: Literal["owner", "lab"]
    """`owner`: of work. `lab`: a laboratory; work of several laboratories counts for each."""
    name: str
    """Name of the owner or the laboratory; empty: work without an owner."""
    records: int
    """Number of stored task runs, archived ones included."""
    files: int
    """Number of stored files."""
    bytes: int
    """Size of these files in bytes."""
    max_records: int | None
    """Greatest number of task runs; null: no limit."""
    max_bytes: int | None
    """Greatest size of the files in bytes; null: no limit."""
    share: float | None
    """Share of the limit that is used most; 1: it is used up. Null: there is no limit."""


class Validation(TypedDict):
    valid: bool
    """True: a package with this protocol would load."""
    errors: list[Fault]
    """What is wrong, and where."""


class WaitCauseCandidatesItem(TypedDict):
    unit: str
    """`<lab>.<device>` or the resource."""
    why: str
    """Why the unit cannot be used."""


WaitCause = TypedDict(
    "WaitCause",
    {
        "code": "Literal[\"dependency\", \"lag\", \"group\", \"device\", \"resource\", \"lower_priority\", \"no_eligible_device\", \"no_eligible_resource\", \"out_of_service\", \"reserved\", \"computer_away\", \"paused\", \"attention\", \"emergency_stop\", \"retry_pause\", \"campaign_limit\", \"hold_order\", \"planned\", \"beyond_horizon\", \"unplanned\"]",
        "message": "str",
        "tasks": "NotRequired[list[str]]",
        "unit": "NotRequired[str]",
        "slot": "NotRequired[str]",
        "held_by": "NotRequired[str]",
        "from": "NotRequired[str]",
        "until": "NotRequired[str | None]",
        "candidates": "NotRequired[list[WaitCauseCandidatesItem]]",
    },
)


class WaitingTimes(TypedDict):
    """Seconds that a task waited, by cause."""

    dependency: float
    """Seconds in which tasks that it depends on had not ended."""
    busy: float
    """Seconds in which units that it needs were used by tasks that had begun before it could start."""
    priority: float
    """Seconds in which units that it needs were given to other tasks after it could have started."""
    held: float
    """Seconds in which another protocol run kept units that it needs."""
    no_device: float
    """Seconds in which every device that fits was out of order."""
    planned: float
    """Seconds in which all units were free: for a lag, for a pause, or because the plan keeps a unit free."""


class WebhookChange(TypedDict):
    url: NotRequired[str]
    """Address that the service sends events to. It uses TLS and leads to a machine on the public internet, unless
    the configuration allows others."""
    description: NotRequired[str]
    """What the webhook is for."""
    filters: NotRequired[WebhookFilters]
    """Which events the webhook gets. Absent: all."""
    include: NotRequired[list[Literal["meta", "outputs"]]]
    """What the service adds to the body of events. `meta`: the `meta` of the task, protocol run or campaign.
    `outputs`: at the end of a task or protocol run its `output_parameters`. Default: nothing."""
    enabled: NotRequired[bool]
    """False: the service sends nothing."""


class WebhookFilters(TypedDict):
    type: NotRequired[str]
    """Types or kinds of events, separated by commas."""
    aggregate: NotRequired[str]
    """Only events of this record, as `<kind>/<id>`."""
    owner: NotRequired[str]
    """Only events of work of this owner."""
    campaign: NotRequired[str]
    """Only events of this campaign, its runs, and their tasks, attempts and trials."""
    protocol_run: NotRequired[str]
    """Only events of this protocol run, its tasks and their attempts."""
    lab: NotRequired[str]
    """Only events of this laboratory."""


class WebhookRecordReason(TypedDict):
    code: str
    """`not_accepted`, `gone` or `events_pruned`."""
    message: str
    """The reason in words."""


class WebhookRecord(TypedDict):
    id: str
    """Id of the webhook."""
    url: str
    """Address that the service sends events to."""
    description: str
    """What the webhook is for."""
    filters: WebhookFilters
    include: list[Literal["meta", "outputs"]]
    """What the service adds to the body of events of work."""
    enabled: bool
    """False: the service sends nothing."""
    state: Literal["active", "failing", "disabled"]
    """`failing`: the receiver did not accept the last attempts. `disabled`: by a person, or with a `reason` by the
    service: after 5 days of failures, when the receiver answered 410, or when events were removed before they were
    sent."""
    reason: WebhookRecordReason | None
    failing_since: str | None
    """Since when the receiver has accepted no attempt; null: it accepted the last one, or there was none."""
    position: int
    """Id of an event. All events up to this one that pass the filters are among the deliveries."""
    previous_secret_until: str | None
    """Until when the secret before the last rotation signs as well; null: it does not."""
    created_at: str
    """When the webhook was made."""
    created_by: str
    """Person who made the webhook."""
    changed_at: str
    """When a person last changed the webhook."""


WebhookReplay = TypedDict(
    "WebhookReplay",
    {
        "from": "int",
    },
)


WebhookSubmission = TypedDict(
    "WebhookSubmission",
    {
        "url": "str",
        "description": "NotRequired[str]",
        "filters": "NotRequired[WebhookFilters]",
        "include": "NotRequired[list[Literal[\"meta\", \"outputs\"]]]",
        "enabled": "NotRequired[bool]",
        "from": "NotRequired[int]",
    },
)


class WhatIfRecordTasksItem(TypedDict):
    name: str
    """Name of the task."""
    type: str
    """Task type."""
    devices: dict[str, str]
    """Device handle to `<lab>.<device>`."""
    resources: dict[str, str]
    """Resource handle to the name of the resource."""
    estimated_start: str | None
    """When the task would start; null: never."""
    estimated_end: str | None
    """When the task would end; null: never."""


WhatIfRecordOthersItem = TypedDict(
    "WhatIfRecordOthersItem",
    {
        "kind": "Literal[\"campaign\", \"protocol_run\", \"task\"]",
        "name": "str",
        "campaign": "str | None",
        "without": "str | None",
        "with": "str | None",
        "delay": "float | None",
    },
)


class WhatIfRecord(TypedDict):
    at: str
    """The moment that the estimate describes."""
    scheduler: Literal["greedy", "cpsat"]
    name: str
    """Name of the protocol run."""
    estimated_start: str | None
    """When the first task would start; null: never."""
    estimated_end: str | None
    """When the run would be completed; null: never."""
    tasks: list[WhatIfRecordTasksItem]
    others: list[WhatIfRecordOthersItem]
    """Other work that is under way."""
    notes: list[str]
    """Why the run would not end, and what the estimate does not include."""
