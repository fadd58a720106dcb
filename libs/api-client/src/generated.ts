// Generated from the OpenAPI document by npm run docs:reference. Do not edit.
export interface paths {
  '/api/labs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List laboratories, loaded or not */
    get: operations['get_labs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a laboratory, loaded or not */
    get: operations['get_labs_by_lab_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/load': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Load laboratories
     * @description Answered when every device is usable. A laboratory loads whole or not at all: with a mistake in its files, or a device that does not start, nothing changes. Devices of computers that are not connected start when those come.
     */
    post: operations['post_labs_load'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/unload': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Unload laboratories
     * @description Refused while work goes on that needs them, and the work is named. With `drain` and work going on the answer is 202: it is done when that work has ended. Protocols that need them are unloaded too. Resources keep their state.
     */
    post: operations['post_labs_unload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/reload': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read laboratories from disk anew
     * @description Devices that did not change go on; the others are restarted, which is refused while they are in use. With `drain` and work going on the answer is 202: it is done when that work has ended. After a mistake the earlier version stays.
     */
    post: operations['post_labs_reload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/load': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Load protocols
     * @description With their task types as they are on disk. Their laboratories must be loaded.
     */
    post: operations['post_protocols_load'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/unload': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Unload protocols
     * @description Refused while runs or campaigns of them go on, unless `drain` is true.
     */
    post: operations['post_protocols_unload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/reload': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read protocols from disk anew
     * @description Runs that were accepted keep their definitions; the next run of a campaign gets the new ones. After a mistake the earlier version stays.
     */
    post: operations['post_protocols_reload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/validate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check the text of a protocol
     * @description As if it stood in a package, against the laboratories and task types of all packages.
     */
    post: operations['post_protocols_validate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/reload': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read task types from disk anew
     * @description And the loaded protocols that use them. Work that was accepted keeps its definitions. After a mistake everything stays as it was.
     */
    post: operations['post_tasks_reload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/packages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List packages as they were last read */
    get: operations['get_packages'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/packages/{package_name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a package as it was last read */
    get: operations['get_packages_by_package_name'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/packages/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read the packages from disk anew
     * @description What is loaded stays as it is.
     */
    post: operations['post_packages_refresh'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/definitions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List definitions, loaded or not */
    get: operations['get_definitions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/definitions/{type}/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a definition */
    get: operations['get_definitions_by_type_by_name'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/simulations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Play a scenario through
     * @description With the laboratories and protocols that are loaded, and the engine and policies that run the real ones, on a clock that jumps from one event to the next. Nothing is stored or started. At most 2,000 tasks, 30 s and two simulations at a time.
     */
    post: operations['post_simulations'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/simulate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask what would become of a protocol run if it was submitted now
     * @description Plays on from what runs, waits and is held at this moment, with the durations learned so far, once without the run and once with it. Nothing is stored or started.
     */
    post: operations['post_protocols_simulate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List protocol runs */
    get: operations['get_protocols'];
    put?: never;
    /**
     * Submit a protocol run
     * @description One execution of a protocol. `parameters` supplies at least every dynamic (`svc_dynamic`) parameter. Answered when the run is stored.
     */
    post: operations['post_protocols'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a protocol run
     * @description Its running tasks are stopped before their devices go to other work. The answer comes when the cancel is decided; the state follows.
     */
    post: operations['post_protocols_by_protocol_run_name_cancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/pause': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Pause a protocol run
     * @description No further task of it is started; running ones go on to their end. Its devices stay held.
     */
    post: operations['post_protocols_by_protocol_run_name_pause'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Resume a protocol run
     * @description One that is paused goes on. One that failed or was cancelled goes on where it stopped: completed tasks are kept, the others are tried again as new attempts, and nothing of the history is deleted.
     */
    post: operations['post_protocols_by_protocol_run_name_resume'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a protocol run */
    get: operations['get_protocols_by_protocol_run_name'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change a protocol run that is not over
     * @description The priority of all of its tasks that are not over, and parameters of those no attempt of which has begun. Checked as at the submission; all of it is changed, or nothing.
     */
    patch: operations['patch_protocols_by_protocol_run_name'];
    trace?: never;
  };
  '/api/campaigns': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List campaigns */
    get: operations['get_campaigns'];
    put?: never;
    /**
     * Submit a campaign
     * @description One protocol many times. Without optimizer: `global_parameters`, `protocol_run_parameters` (exactly `max_protocol_runs` entries), or both. With `optimize` the optimizer of the protocol is made before the answer, and proposes its inputs run by run.
     */
    post: operations['post_campaigns'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a campaign
     * @description No further run is started, and its runs are cancelled.
     */
    post: operations['post_campaigns_by_campaign_name_cancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/pause': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Pause a campaign
     * @description No further run is started, and no further task of its runs; running ones go on to their end.
     */
    post: operations['post_campaigns_by_campaign_name_pause'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Resume a campaign
     * @description One that is paused goes on. Of one that failed or was cancelled, completed runs are kept, failed and cancelled ones are resumed with the same parameters, and then the rest goes on.
     */
    post: operations['post_campaigns_by_campaign_name_resume'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a campaign */
    get: operations['get_campaigns_by_campaign_name'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change a campaign that is not over
     * @description The priority of all of its work that is not over; how many runs it has and how many at a time; the parameters of runs that have not begun.
     */
    patch: operations['patch_campaigns_by_campaign_name'];
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/runs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the protocol runs of a campaign */
    get: operations['get_campaigns_by_campaign_name_runs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/optimizer/params': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Change settings of the optimizer while the campaign runs
     * @description Any of `p_bayesian`, `p_ai`, `ai_history_size`, `ai_additional_context`, and the runtime parameters of the plugged-in optimizer. Setting either probability derives the other; `p_ai` 0 removes the AI, more than 0 brings it. All of the changes are made, or none. They stay over every restart and resume.
     */
    put: operations['put_campaigns_by_campaign_name_optimizer_params'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/optimizer/insight': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tell the AI something
     * @description The text is given to the AI with its next suggestions until one of them succeeds.
     */
    post: operations['post_campaigns_by_campaign_name_optimizer_insight'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/optimizer': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the optimizer of a campaign
     * @description Its state and settings, the proposals whose runs have not begun, the insights, and the journal. Of a campaign that is over: as it was in the end.
     */
    get: operations['get_campaigns_by_campaign_name_optimizer'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/trials': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the trials of a campaign
     * @description By number, with inputs, outputs and notes. Empty for a campaign without optimizer.
     */
    get: operations['get_campaigns_by_campaign_name_trials'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_type}/optimizer/defaults': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what the optimizer of a protocol is before anything is said about it
     * @description Fields for a form, default settings, inputs and outputs. The optimizer is made and dropped for it.
     */
    get: operations['get_protocols_by_protocol_type_optimizer_defaults'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/runs.csv': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the runs of a campaign as a table
     * @description A row for each run that has begun, by number: what became of it, where its parameters came from, its parameters and outputs as `TASK.NAME`, and why it failed. Outputs that are lists or objects are left out. An output with the name of a parameter has ` (output)` behind it. Each row is as its run is when it is sent. Numbers are as precise as they are kept. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a string of JSON.
     */
    get: operations['get_campaigns_by_campaign_name_runs.csv'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/parameters.csv': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the parameters of a campaign as a table
     * @description A row for each run by number, with the parameters that it got, or will get as far as they are known; to be changed and given back to `/api/protocols/{protocol}/parameters`. Numbers are as precise as they are kept. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a string of JSON.
     */
    get: operations['get_campaigns_by_campaign_name_parameters.csv'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol}/parameters': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read a table of parameters
     * @description What it says, for `protocol_run_parameters` of a campaign of this protocol; nothing is stored. The header names columns `TASK.PARAMETER`; each row is a run; an empty cell is a value that is not given. Values are read and checked as the task types say. Between cells stand commas, or semicolons, and then a number may have a decimal comma. At most 100000 rows and 1000 columns. Numbers are as precise as they are kept. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a string of JSON.
     */
    post: operations['post_protocols_by_protocol_parameters'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List tasks
     * @description On-demand tasks and tasks of protocol runs.
     */
    get: operations['get_tasks'];
    put?: never;
    /**
     * Submit an on-demand task
     * @description A single task outside any protocol run. It waits while its devices or resources are busy, at most `allocation_timeout` seconds.
     */
    post: operations['post_tasks'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a task
     * @description A queued on-demand task is removed from the queue; a running one is stopped. Cancelling a task of a protocol run makes the run fail.
     */
    post: operations['post_tasks_by_task_name_cancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/attempts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read what became of a task, attempt by attempt */
    get: operations['get_tasks_by_task_name_attempts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a task */
    get: operations['get_tasks_by_task_name'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change a task that is not over
     * @description Its priority at any time; its parameters until its first attempt begins. Checked as at the submission; all of it is changed, or nothing.
     */
    patch: operations['patch_tasks_by_task_name'];
    trace?: never;
  };
  '/api/task-runs/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a task by its id
     * @description An id names one task for ever; the name of an on-demand task may be used again.
     */
    get: operations['get_task-runs_by_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attempts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List attempts at tasks */
    get: operations['get_attempts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attempts/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read an attempt */
    get: operations['get_attempts_by_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the files that tasks produced
     * @description Of the latest attempt of each task.
     */
    get: operations['get_files'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List what people did */
    get: operations['get_audit'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/audit/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read an entry of the audit */
    get: operations['get_audit_by_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/resources': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List resources */
    get: operations['get_resources'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/resources/{resource_name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a resource */
    get: operations['get_resources_by_resource_name'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/resources/{resource_name}/reset': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Put the data of a resource back to what its lab file says
     * @description Refused while a task or a protocol run has it, which is named; `force` with a reason does it all the same. What a task that has it says of it at its end goes over the reset.
     */
    post: operations['post_resources_by_resource_name_reset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/resources/{resource_name}/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List which tasks had a resource and how they left it, and when its data was put back */
    get: operations['get_resources_by_resource_name_history'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/archive': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Archive a campaign
     * @description Only what is over. It is read by its name as before, with `archived_at`, and its name stays taken; lists have it with `archived=true` or `archived=all`. To be resumed it is restored first. Its runs, their tasks, attempts and files go with it.
     */
    post: operations['post_campaigns_by_campaign_name_archive'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Restore a campaign from the archive
     * @description It is in the lists again, as if it had never been archived.
     */
    post: operations['post_campaigns_by_campaign_name_restore'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/archive': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Archive a protocol run
     * @description Only what is over. It is read by its name as before, with `archived_at`, and its name stays taken; lists have it with `archived=true` or `archived=all`. To be resumed it is restored first. Its tasks, attempts and files go with it. A run of a campaign goes with the campaign.
     */
    post: operations['post_protocols_by_protocol_run_name_archive'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Restore a protocol run from the archive
     * @description It is in the lists again, as if it had never been archived.
     */
    post: operations['post_protocols_by_protocol_run_name_restore'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/archive': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Archive an on-demand task
     * @description Only what is over. It is read by its name as before, with `archived_at`, and its name stays taken; lists have it with `archived=true` or `archived=all`. To be resumed it is restored first. Its attempts and files go with it. A task of a protocol run goes with the run.
     */
    post: operations['post_tasks_by_task_name_archive'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Restore an on-demand task from the archive
     * @description It is in the lists again, as if it had never been archived.
     */
    post: operations['post_tasks_by_task_name_restore'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/clone': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a submission of the same task
     * @description Under a name that is free. Of a task of a protocol run: the task by itself, with the devices, resources and values that it got.
     */
    get: operations['get_tasks_by_task_name_clone'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/clone': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a submission of the same protocol run
     * @description Under a name that is free. Of a run of a campaign: with the parameters that it got.
     */
    get: operations['get_protocols_by_protocol_run_name_clone'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/clone': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a submission of the same campaign
     * @description Under a name that is free. Secrets are left out; `left_out` names them.
     */
    get: operations['get_campaigns_by_campaign_name_clone'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/files/{file_name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Download a file of a task
     * @description With `Range` a part of it, so that a download that broke off goes on; `If-Range` with the `ETag` makes sure that it goes on with the same file.
     */
    get: operations['get_tasks_by_task_name_files_by_file_name'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/files.zip': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Download all files of a task as one zip
     * @description Stored, not compressed, and of any size (zip64). An archive that breaks off is shorter than its `Content-Length`.
     */
    get: operations['get_tasks_by_task_name_files.zip'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/files.zip': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Download all files of a protocol run, a folder for each task, as one zip
     * @description Stored, not compressed, and of any size (zip64). An archive that breaks off is shorter than its `Content-Length`.
     */
    get: operations['get_protocols_by_protocol_run_name_files.zip'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/devices': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List devices as they are now */
    get: operations['get_devices'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Show a device and what its functions do and take */
    get: operations['get_labs_by_lab_id_devices_by_device_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/rpc/{lab_id}/{device_id}/{function_name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Call a function of a device
     * @description Goes straight to the device, past validation, allocation and scheduling. The body maps parameter names to values and may be empty. With authentication on, a function that is no query is refused (`device_in_use`) while a task has the device, unless it is forced with a reason, and is called only once that is in the audit.
     */
    post: operations['post_rpc_by_lab_id_by_device_id_by_function_name'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agents': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List agents as they are now
     * @description One for each computer of the loaded laboratories, and for each that ever registered: whether it is heard, what it runs, and why it is away.
     */
    get: operations['get_agents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agents/{computer}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Show the agent of a computer */
    get: operations['get_agents_by_computer'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attention': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List what only a person can settle */
    get: operations['get_attention'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attention/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read an attention item */
    get: operations['get_attention_by_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attention/{id}/resolve': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Settle an attention item
     * @description A task is declared `completed` with its outputs, `failed`, or tried again (`retry`); a device is declared `idle`, safe to be started anew; an agent is declared `lost`. The decision is kept for ever, with who took it.
     */
    post: operations['post_attention_by_id_resolve'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/estop': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List emergency stops */
    get: operations['get_estop'];
    put?: never;
    /**
     * Emergency stop
     * @description Of everything, of a laboratory, or of a device of it. Every agent is told at once, whatever the state of orchestrator and database: it runs `_stop` on each device in the scope, outside of all queues. Nothing is started there until the stop is released. It holds over every restart. With status 503 and effect `done` the agents were told and keep to it, but it could not be recorded yet.
     */
    post: operations['post_estop'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/estop/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Release emergency stops
     * @description One by its id, or every stop in force. Devices in no other stop take calls again.
     */
    post: operations['post_estop_release'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/queue': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what waits, in which order and why, and whether anything may start
     * @description The tasks that wait, in the order in which they are considered: that of their planned starts, and of those that have none that of the scheduling policy. A task that could start goes before one that has to wait for something, so positions are not the order of starts. Parameters narrow the list down and change no position. It is the order of this moment: a page goes on behind the last task of the page before, wherever that stands by then. A page has fewer tasks than `limit` where their reasons would be too much for one message.
     */
    get: operations['get_queue'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/queue/pause': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Pause the queue
     * @description Nothing starts any more, wherever it belongs; what runs goes on to its end. It stays paused over every restart. May be repeated.
     */
    post: operations['post_queue_pause'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/queue/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Resume the queue
     * @description May be repeated.
     */
    post: operations['post_queue_resume'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/schedule': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what goes on, what is to come, and why what waits waits
     * @description Planned and actual times of every task and device, when runs and campaigns are expected to be complete, and how good the plan is. The parameters narrow it down and hold together; a name that nothing has selects nothing.
     */
    get: operations['get_schedule'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/me': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read who the service takes you for, and what you may do */
    get: operations['get_me'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List tokens of access
     * @description With the role admin all, otherwise your own; also those that are revoked or have expired.
     */
    get: operations['get_tokens'];
    put?: never;
    /**
     * Make a token of access
     * @description The answer is the only place where the token ever stands: only its hash is kept. The role admin makes any token; who has signed in at the issuer makes personal ones of their own, which may do no more than they may. A token makes no tokens, unless it is of an admin.
     */
    post: operations['post_tokens'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tokens/{token_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke a token of access
     * @description It counts no more here from this moment on, and within 5 s at every other gateway. Its record stays, for the audit. May be repeated.
     */
    delete: operations['delete_tokens_by_token_id'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/audit/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Check that nothing of the audit was changed or removed
     * @description Goes through the whole chain of hashes. Who could write to the database itself could make the whole chain anew: keep `head` elsewhere from time to time.
     */
    get: operations['get_audit_verify'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow what happens
     * @description Server-sent events, from now on or from behind an id, for as long as the client stays: each has the id, the type and a `ServiceEvent` as data. Whoever comes again with the id of the last event, as browsers do by themselves, misses none and gets none twice. A comment and the id up to which the client has everything come every 15 s. A client that takes too little is cut off, and goes on from its last id. `event: gap` is the last event of a stream that cannot be complete, because events were removed before they could be sent.
     */
    get: operations['get_events'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/events/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read what happened to one record */
    get: operations['get_events_history'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/logs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what tasks and devices wrote
     * @description A line is stored within a second after it was written. Lines are kept as long as `logs` of the configuration says.
     */
    get: operations['get_logs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/logs/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow what tasks and devices write
     * @description Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, for as long as the client stays: also when what wrote the lines has ended. Heartbeats, `event: gap`, and how to go on after a break are those of `GET /api/events`, and the number of streams is that of both together.
     */
    get: operations['get_logs_stream'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/logs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what a task wrote
     * @description In all its attempts.
     */
    get: operations['get_tasks_by_task_name_logs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/logs/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow what a task writes
     * @description In all its attempts. Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, for as long as the client stays: also when what wrote the lines has ended. Heartbeats, `event: gap`, and how to go on after a break are those of `GET /api/events`, and the number of streams is that of both together.
     */
    get: operations['get_tasks_by_task_name_logs_stream'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/logs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List what the tasks of a protocol run wrote */
    get: operations['get_protocols_by_protocol_run_name_logs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/logs/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow what the tasks of a protocol run write
     * @description Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, for as long as the client stays: also when what wrote the lines has ended. Heartbeats, `event: gap`, and how to go on after a break are those of `GET /api/events`, and the number of streams is that of both together.
     */
    get: operations['get_protocols_by_protocol_run_name_logs_stream'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/logs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what a device wrote
     * @description Also one that is not loaded any more.
     */
    get: operations['get_labs_by_lab_id_devices_by_device_id_logs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/logs/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow what a device writes
     * @description Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, for as long as the client stays: also when what wrote the lines has ended. Heartbeats, `event: gap`, and how to go on after a break are those of `GET /api/events`, and the number of streams is that of both together.
     */
    get: operations['get_labs_by_lab_id_devices_by_device_id_logs_stream'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List webhooks */
    get: operations['get_webhooks'];
    put?: never;
    /**
     * Have events sent to an address
     * @description Every event that the filters let through is sent as a POST request, signed as in the Standard Webhooks specification, until the receiver answers with a status from 200 to 299. The answer is the only place where the secret ever stands. The address must begin with `https://` and lead to a machine on the public internet, unless the configuration allows more; whom its name leads to is looked at before each request.
     */
    post: operations['post_webhooks'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{webhook_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a webhook */
    get: operations['get_webhooks_by_webhook_id'];
    put?: never;
    post?: never;
    /**
     * Remove a webhook
     * @description With its deliveries. A request under way is not called back.
     */
    delete: operations['delete_webhooks_by_webhook_id'];
    options?: never;
    head?: never;
    /**
     * Change a webhook
     * @description Other filters count for events that are not among its deliveries yet. Disabled, it stands still; enabled again, it goes on where it was, and what waits for a further attempt is tried at once.
     */
    patch: operations['patch_webhooks_by_webhook_id'];
    trace?: never;
  };
  '/api/webhooks/{webhook_id}/rotate-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give a webhook another secret
     * @description The answer is the only place where the new secret ever stands. The one before it signs beside it for some time, so that the receiver can change over.
     */
    post: operations['post_webhooks_by_webhook_id_rotate-secret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{webhook_id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send events again, or pass some over
     * @description It goes on behind this event, whether that is before or after where it is. What it has had is sent again, under the same `webhook-id`.
     */
    post: operations['post_webhooks_by_webhook_id_replay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{webhook_id}/ping': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Try out a webhook
     * @description Sends one signed message that says nothing, at once, also to one that is disabled, and answers with what came of it. It is not sent again.
     */
    post: operations['post_webhooks_by_webhook_id_ping'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{webhook_id}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List what was sent to a webhook, or is to be */
    get: operations['get_webhooks_by_webhook_id_deliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send one event again
     * @description Whatever became of it; what waits for a further attempt is tried at once. Later events of the same record wait for it.
     */
    post: operations['post_webhooks_by_webhook_id_deliveries_by_delivery_id_redeliver'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether the gateway answers */
    get: operations['get_health_live'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the service can do its work
     * @description Every part that requests need is asked at this moment. 200 also when a part does less than it should (`degraded`), as when a computer has no agent.
     */
    get: operations['get_health_ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The same as /health/ready
     * @description Every part that requests need is asked at this moment. 200 also when a part does less than it should (`degraded`), as when a computer has no agent.
     */
    get: operations['get_health'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What all processes have measured, for Prometheus
     * @description Text format 0.0.4. With `metrics.open` in the configuration it needs no token.
     */
    get: operations['get_metrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description Why a record is in the state it is in. */
    Reason: {
      /**
       * @description Stable identifier.
       * @example task_failed
       */
      code: string;
      /** @description In words. */
      message: string;
      /** @description Stack of the author's code, with paths inside the package only. */
      stack?: string;
    };
    FileRecord: {
      /**
       * @description Name that the task gave it.
       * @example image.png
       */
      name: string;
      /**
       * @description Bytes.
       * @example 1024
       */
      size: number;
      /** @description SHA-256, hexadecimal. */
      sha256: string;
      /**
       * @description What the ending of its name stands for.
       * @example image/png
       */
      media_type: string;
    };
    InputFileRecord: {
      /**
       * @description `<task run>/<attempt>/<file name>`, with the id of the task run that produced it.
       * @example 0190c0de-0000-7000-8000-000000000001/1/image.png
       */
      id: string;
      /**
       * @description Name that the task gave it.
       * @example image.png
       */
      name: string;
      /**
       * @description Bytes.
       * @example 1024
       */
      size: number;
      /** @description SHA-256, hexadecimal. */
      sha256: string;
      /**
       * @description What the ending of its name stands for.
       * @example image/png
       */
      media_type: string;
    };
    ResourceValue: {
      /**
       * @description Name.
       * @example beaker_1
       */
      name: string;
      /**
       * @description Resource type.
       * @example beaker
       */
      type: string;
      /** @description Metadata, for example capacity. */
      meta: {
        [key: string]: unknown;
      };
    };
    TaskRunRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Name in the protocol, or of the on-demand task.
       * @example mix_colors
       */
      name: string;
      /**
       * @description Task type.
       * @example mix_colors
       */
      type: string;
      /**
       * @description Protocol run it belongs to; null for an on-demand task.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Label of who the work belongs to.
       * @example ada
       */
      owner: string;
      /**
       * @description Higher goes first when work contends.
       * @example 0
       */
      priority: number;
      /** @enum {string} */
      state:
        | 'created'
        | 'queued'
        | 'running'
        | 'completed'
        | 'failed'
        | 'cancelled'
        | 'skipped'
        | 'needs_attention';
      reason: components['schemas']['Reason'] | null;
      /** @description Device handle to the device it got. */
      devices: {
        [key: string]: components['schemas']['DeviceReference'];
      };
      /** @description Parameter name to value. */
      input_parameters: {
        [key: string]: unknown;
      };
      /** @description Resource handle to the resource as the task got it. */
      input_resources: {
        [key: string]: components['schemas']['ResourceValue'];
      };
      /** @description File handle to the file of another task that it got; of a task of a run, once it has started. */
      input_files: {
        [key: string]: components['schemas']['InputFileRecord'];
      };
      /** @description Parameter name to value; null until it completed. */
      output_parameters: {
        [key: string]: unknown;
      } | null;
      /** @description Resource handle to the resource as the task left it. */
      output_resources: {
        [key: string]: components['schemas']['ResourceValue'];
      } | null;
      /** @description Files it produced. */
      output_files: components['schemas']['FileRecord'][];
      /**
       * @description Number of the latest attempt, from 1; 0 before the first.
       * @example 1
       */
      attempt: number;
      /**
       * @description Attempts that began and failed since it was last queued by its run or a person.
       * @example 0
       */
      failures: number;
      /**
       * Format: date-time
       * @description Of a task that waits after a failure: not started again before this moment.
       * @example 2026-11-20T09:30:00.000Z
       */
      retry_at: string | null;
      /**
       * @description Seconds that it started later than `max_lag` after its dependencies; null: in time, or no such lag.
       * @example 2.5
       */
      late_by_s: number | null;
      /**
       * @description Computer that the latest attempt ran on.
       * @example svc_computer
       */
      computer: string | null;
      /** @description Content hash of the definitions it was accepted with. */
      definition_hash: string;
      /** @description Content hash of the code it runs. */
      code_hash: string | null;
      /**
       * @description Seconds within which an on-demand task must start.
       * @example 600
       */
      allocation_timeout: number | null;
      failure_policy: components['schemas']['TaskFailurePolicy'];
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /**
       * Format: date-time
       * @description When all that it depends on was done.
       * @example 2026-11-20T09:30:00.000Z
       */
      queued_at: string | null;
      /**
       * Format: date-time
       * @description Set when a cancel was asked for and the work has not stopped yet.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When it was accepted.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first work of it began.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description Since when it, or what it belongs to, is archived; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
    };
    ProtocolRunSummary: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Unique name.
       * @example mix_1
       */
      name: string;
      /**
       * @description Protocol type.
       * @example color_mixing
       */
      type: string;
      /**
       * @description Label of who the work belongs to.
       * @example ada
       */
      owner: string;
      /**
       * @description Higher goes first when work contends.
       * @example 0
       */
      priority: number;
      /**
       * @description Campaign it belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /** @description Task name to parameter name to value. */
      parameters: {
        [key: string]: {
          [key: string]: unknown;
        };
      };
      /** @description Task name to what the submission says about its failures, over what the protocol says. */
      failure_policy: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      reason: components['schemas']['Reason'] | null;
      /**
       * Format: date-time
       * @description Since when it is paused; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /** @description Content hash of the definitions it was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description Set when a cancel was asked for and the work has not stopped yet.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When it was accepted.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first work of it began.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description Since when it, or what it belongs to, is archived; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /**
       * Format: date-time
       * @description When it is expected to be over; null: not known, or it is over.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
    };
    ProtocolRunRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Unique name.
       * @example mix_1
       */
      name: string;
      /**
       * @description Protocol type.
       * @example color_mixing
       */
      type: string;
      /**
       * @description Label of who the work belongs to.
       * @example ada
       */
      owner: string;
      /**
       * @description Higher goes first when work contends.
       * @example 0
       */
      priority: number;
      /**
       * @description Campaign it belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /** @description Task name to parameter name to value. */
      parameters: {
        [key: string]: {
          [key: string]: unknown;
        };
      };
      /** @description Task name to what the submission says about its failures, over what the protocol says. */
      failure_policy: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      reason: components['schemas']['Reason'] | null;
      /**
       * Format: date-time
       * @description Since when it is paused; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /** @description Content hash of the definitions it was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description Set when a cancel was asked for and the work has not stopped yet.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When it was accepted.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first work of it began.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description Since when it, or what it belongs to, is archived; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /**
       * Format: date-time
       * @description When it is expected to be over; null: not known, or it is over.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
      /** @description In the order of the protocol. */
      tasks: components['schemas']['TaskRunRecord'][];
    };
    CampaignSummary: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Unique name.
       * @example sweep
       */
      name: string;
      /**
       * @description Protocol type.
       * @example color_mixing
       */
      protocol: string;
      /**
       * @description Label of who the work belongs to.
       * @example ada
       */
      owner: string;
      /**
       * @description Higher goes first when work contends.
       * @example 0
       */
      priority: number;
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      reason: components['schemas']['Reason'] | null;
      /**
       * Format: date-time
       * @description Since when it is paused; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * @description Number of protocol runs; 0: no limit.
       * @example 12
       */
      max_protocol_runs: number;
      /**
       * @description Cap on simultaneous protocol runs.
       * @example 3
       */
      max_concurrent_protocol_runs: number;
      /** @description Whether an optimizer proposes parameters. */
      optimize: boolean;
      /**
       * @description Computer of the optimizer.
       * @example 127.0.0.1
       */
      optimizer_ip: string;
      optimizer: components['schemas']['KeptOptimizer'] | null;
      /** @description Task name to parameter name to value. */
      global_parameters: {
        [key: string]: {
          [key: string]: unknown;
        };
      };
      /** @description Task name to what the submission says about its failures, over what the protocol says. */
      failure_policy: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /**
       * @description What is done when a run has failed.
       * @enum {string}
       */
      on_run_failure: 'stop' | 'continue' | 'pause';
      /**
       * @description More failed runs than this fail the campaign; null: no limit.
       * @example 3
       */
      max_failures: number | null;
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /**
       * @description Protocol runs that have begun.
       * @example 7
       */
      protocol_runs_started: number;
      /**
       * @description Protocol runs that have completed.
       * @example 4
       */
      protocol_runs_completed: number;
      /**
       * @description Protocol runs that have failed.
       * @example 0
       */
      protocol_runs_failed: number;
      /** @description Content hash of the definitions it was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description Set when a cancel was asked for and the work has not stopped yet.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When it was accepted.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first work of it began.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description Since when it, or what it belongs to, is archived; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /**
       * Format: date-time
       * @description When it is expected to be over; null: not known, or it is over.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
    };
    CampaignRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Unique name.
       * @example sweep
       */
      name: string;
      /**
       * @description Protocol type.
       * @example color_mixing
       */
      protocol: string;
      /**
       * @description Label of who the work belongs to.
       * @example ada
       */
      owner: string;
      /**
       * @description Higher goes first when work contends.
       * @example 0
       */
      priority: number;
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      reason: components['schemas']['Reason'] | null;
      /**
       * Format: date-time
       * @description Since when it is paused; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * @description Number of protocol runs; 0: no limit.
       * @example 12
       */
      max_protocol_runs: number;
      /**
       * @description Cap on simultaneous protocol runs.
       * @example 3
       */
      max_concurrent_protocol_runs: number;
      /** @description Whether an optimizer proposes parameters. */
      optimize: boolean;
      /**
       * @description Computer of the optimizer.
       * @example 127.0.0.1
       */
      optimizer_ip: string;
      optimizer: components['schemas']['KeptOptimizer'] | null;
      /** @description Task name to parameter name to value. */
      global_parameters: {
        [key: string]: {
          [key: string]: unknown;
        };
      };
      /** @description Task name to what the submission says about its failures, over what the protocol says. */
      failure_policy: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /**
       * @description What is done when a run has failed.
       * @enum {string}
       */
      on_run_failure: 'stop' | 'continue' | 'pause';
      /**
       * @description More failed runs than this fail the campaign; null: no limit.
       * @example 3
       */
      max_failures: number | null;
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /**
       * @description Protocol runs that have begun.
       * @example 7
       */
      protocol_runs_started: number;
      /**
       * @description Protocol runs that have completed.
       * @example 4
       */
      protocol_runs_completed: number;
      /**
       * @description Protocol runs that have failed.
       * @example 0
       */
      protocol_runs_failed: number;
      /** @description Content hash of the definitions it was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description Set when a cancel was asked for and the work has not stopped yet.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When it was accepted.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first work of it began.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description Since when it, or what it belongs to, is archived; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /**
       * Format: date-time
       * @description When it is expected to be over; null: not known, or it is over.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
      /** @description Parameters run by run. */
      protocol_run_parameters:
        | {
            [key: string]: {
              [key: string]: unknown;
            };
          }[]
        | null;
    };
    TaskFileRecord: {
      /**
       * @description Name that the task gave it.
       * @example image.png
       */
      name: string;
      /**
       * @description Bytes.
       * @example 1024
       */
      size: number;
      /** @description SHA-256, hexadecimal. */
      sha256: string;
      /**
       * @description What the ending of its name stands for.
       * @example image/png
       */
      media_type: string;
      /** @description Id of the task run that produced it. */
      task_run_id: string;
      /**
       * @description Name of the task.
       * @example score_color
       */
      task: string;
      /**
       * @description Task type.
       * @example score_color
       */
      type: string;
      /**
       * @description Protocol run of the task; null for an on-demand task.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Campaign of the protocol run, if any.
       * @example sweep
       */
      campaign: string | null;
      /**
       * @description Label of who the work belongs to.
       * @example ada
       */
      owner: string;
      /**
       * @description Number of the attempt that produced it.
       * @example 1
       */
      attempt: number;
      /**
       * Format: date-time
       * @description When its task was created.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
    };
    ResourceRecord: {
      /**
       * @description Name.
       * @example beaker_1
       */
      name: string;
      /**
       * @description Resource type.
       * @example beaker
       */
      type: string;
      /** @description Metadata, for example capacity. */
      meta: {
        [key: string]: unknown;
      };
      /**
       * @description Laboratory.
       * @example color_lab
       */
      lab: string;
      /**
       * @description Task that uses it: `<protocol run>/<task>`, or an on-demand task.
       * @example mix_1/mix_colors
       */
      used_by: string | null;
      /**
       * @description Protocol run that keeps it between its tasks.
       * @example mix_1
       */
      held_by: string | null;
      /**
       * Format: date-time
       * @description Since when that task or run has it; null: it is free.
       * @example 2026-11-20T09:30:00.000Z
       */
      since: string | null;
    };
    /** @description What a task did with a resource, or that its data was put back. */
    ResourceUse: {
      /**
       * @description A task had it, or a person put its data back.
       * @enum {string}
       */
      kind: 'task' | 'reset';
      /** @description Id of the task run; null of a reset, as all that follows up to `slot`. */
      task_run_id: string | null;
      /**
       * @description Name of the task.
       * @example mix_colors
       */
      task: string | null;
      /**
       * @description Task type.
       * @example mix_colors
       */
      type: string | null;
      /**
       * @description Protocol run of the task; null for an on-demand task.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Campaign of the protocol run, if any.
       * @example sweep
       */
      campaign: string | null;
      /** @enum {string|null} */
      state:
        | 'created'
        | 'queued'
        | 'running'
        | 'completed'
        | 'failed'
        | 'cancelled'
        | 'skipped'
        | 'needs_attention'
        | null;
      /**
       * @description The slot of the task that it filled.
       * @example beaker
       */
      slot: string | null;
      /** @description Metadata as the task got it, or before the reset. */
      taken: {
        [key: string]: unknown;
      };
      /** @description Metadata as left; null: the task has not completed. */
      left: {
        [key: string]: unknown;
      } | null;
      /**
       * @description Who reset it; null of a task.
       * @example ada
       */
      by: string | null;
      /**
       * @description Why it was reset.
       * @example washed by hand
       */
      reason: string | null;
      /**
       * Format: date-time
       * @description When the task began, or the moment of the reset.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string;
      /**
       * Format: date-time
       * @description When the task ended, or the moment of the reset.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
    };
    /** @description An act of a person, kept for ever. */
    AuditRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description From 1, without gaps.
       * @example 1
       */
      seq: number;
      /**
       * Format: date-time
       * @description When it was done.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /**
       * @description Who did it.
       * @example ada
       */
      by: string;
      /**
       * @description How they showed who they are; null: it did not come through the gateway.
       * @enum {string|null}
       */
      kind: 'local' | 'token' | 'oidc' | null;
      /**
       * @description What was done.
       * @example campaign.pause
       */
      action: string;
      /**
       * @description What it was done to.
       * @example campaign/sweep
       */
      subject: string;
      /** @description What else is known of it. */
      detail: {
        [key: string]: unknown;
      };
      /** @description Under which the log has the request. */
      request_id: string | null;
      /**
       * @description Address that the request came from.
       * @example 127.0.0.1
       */
      ip: string | null;
      /** @description SHA-256 over the hash of the entry before and this one, hexadecimal. */
      hash: string;
    };
    DeviceRecord: {
      /**
       * @description Laboratory.
       * @example color_lab
       */
      lab_name: string;
      /**
       * @description Name within the laboratory.
       * @example station_1
       */
      name: string;
      /**
       * @description Device type.
       * @example color_station
       */
      type: string;
      /**
       * @description Computer whose agent runs it.
       * @example svc_computer
       */
      computer: string;
      /** @enum {string} */
      state:
        'disabled' | 'initializing' | 'idle' | 'busy' | 'aborting' | 'uncertain' | 'restarting' | 'faulted';
      /** @description What is wrong, in words; null when nothing is. */
      detail: string | null;
      /**
       * @description Task run that holds it: `<protocol run>/<task>`, or the on-demand task.
       * @example mix_1/mix_colors
       */
      held_by: string | null;
      /** @description Who stopped it and why; null when it is not stopped. */
      halted: string | null;
      /** @description What is known of an uncertain device; null when it is in no doubt. */
      doubt: {
        /** @description Names this doubt. */
        id: string;
        /** @description Calls that began and have no known end, oldest first. */
        in_doubt: {
          /** @description Unique identifier of the call. */
          call_id: string;
          /**
           * @description Function of the device.
           * @example mix
           */
          function: string;
          /** @description Attempt that made the call. */
          attempt_id?: string;
        }[];
        last_confirmed: {
          /** @description Unique identifier of the call. */
          call_id: string;
          /**
           * @description Function of the device.
           * @example mix
           */
          function: string;
        } | null;
      } | null;
      /** @description What can be called by RPC. */
      functions: {
        /**
         * @description Name to call it by.
         * @example mix
         */
        name: string;
        /** @enum {string} */
        kind: 'effect' | 'idempotent' | 'query';
        /**
         * @description Seconds that a call may take; absent: 60.
         * @example 900
         */
        timeout_s?: number;
        /**
         * @description What it does.
         * @example Doses the pastes and stirs
         */
        description?: string;
        /** @description Parameters by name; a call is checked against them. */
        parameters?: {
          [key: string]: {
            [key: string]: unknown;
          };
        };
      }[];
    };
    DeviceDetail: {
      /**
       * @description Laboratory.
       * @example color_lab
       */
      lab_name: string;
      /**
       * @description Name within the laboratory.
       * @example station_1
       */
      name: string;
      /**
       * @description Device type.
       * @example color_station
       */
      type: string;
      /**
       * @description Computer whose agent runs it.
       * @example svc_computer
       */
      computer: string;
      /** @enum {string} */
      state:
        'disabled' | 'initializing' | 'idle' | 'busy' | 'aborting' | 'uncertain' | 'restarting' | 'faulted';
      /** @description What is wrong, in words; null when nothing is. */
      detail: string | null;
      /**
       * @description Task run that holds it: `<protocol run>/<task>`, or the on-demand task.
       * @example mix_1/mix_colors
       */
      held_by: string | null;
      /** @description Who stopped it and why; null when it is not stopped. */
      halted: string | null;
      /** @description What is known of an uncertain device; null when it is in no doubt. */
      doubt: {
        /** @description Names this doubt. */
        id: string;
        /** @description Calls that began and have no known end, oldest first. */
        in_doubt: {
          /** @description Unique identifier of the call. */
          call_id: string;
          /**
           * @description Function of the device.
           * @example mix
           */
          function: string;
          /** @description Attempt that made the call. */
          attempt_id?: string;
        }[];
        last_confirmed: {
          /** @description Unique identifier of the call. */
          call_id: string;
          /**
           * @description Function of the device.
           * @example mix
           */
          function: string;
        } | null;
      } | null;
      /** @description What can be called by RPC; `parameters` is null where none are declared, and then nothing is checked. */
      functions: {
        /**
         * @description Name to call it by.
         * @example mix
         */
        name: string;
        /** @enum {string} */
        kind: 'effect' | 'idempotent' | 'query';
        /**
         * @description Seconds that a call may take.
         * @example 900
         */
        timeout_s: number;
        /** @description What it does; null when it does not say. */
        description: string | null;
        /** @description Parameters by name; a call is checked against them. */
        parameters: {
          [key: string]: {
            [key: string]: unknown;
          };
        } | null;
      }[];
      /** @description What `_report` of the device returns; there when it was asked for. */
      report?: {
        [key: string]: unknown;
      };
    };
    /** @description RFC 9457 problem details. */
    Problem: {
      /**
       * @description Identifies the kind of problem.
       * @example urn:svc:error:invalid
       */
      type: string;
      /** @description The kind of problem, in words. */
      title: string;
      /**
       * @description HTTP status.
       * @example 422
       */
      status: number;
      /** @description What is wrong with this request. */
      detail: string;
      /**
       * @description Stable identifier of the kind of problem.
       * @enum {string}
       */
      code:
        | 'malformed_json'
        | 'bad_request'
        | 'unauthorized'
        | 'forbidden'
        | 'not_found'
        | 'unknown_lab'
        | 'unknown_device'
        | 'unknown_function'
        | 'duplicate_name'
        | 'device_in_use'
        | 'wrong_state'
        | 'events_pruned'
        | 'idempotency_key_in_progress'
        | 'idempotency_key_reused'
        | 'outcome_unknown'
        | 'answer_not_kept'
        | 'payload_too_large'
        | 'uri_too_long'
        | 'unsupported_media_type'
        | 'range_not_satisfiable'
        | 'invalid'
        | 'unknown_protocol'
        | 'unknown_task_type'
        | 'backlog_full'
        | 'too_many_requests'
        | 'device_error'
        | 'optimizer_error'
        | 'optimizer_unavailable'
        | 'device_unavailable'
        | 'agent_unreachable'
        | 'service_unavailable'
        | 'store_unavailable'
        | 'stale_message'
        | 'late_message'
        | 'deadline_exceeded'
        | 'disconnected'
        | 'aborted'
        | 'internal';
      /**
       * @description What is known of the physical effect of the request.
       * @enum {string}
       */
      effect?: 'none' | 'maybe' | 'done';
      errors?: {
        /**
         * @description Where: a path inside the body, or `?name` in the query.
         * @example parameters.mix_colors
         */
        path: string;
        /**
         * @description Rule that is broken.
         * @example unknown_field
         */
        code: string;
        /** @description What is wrong. */
        message: string;
        /** @description What would be right. */
        hint?: string;
        /**
         * @description Definition file, relative to the user directory.
         * @example demo/tasks/mix/task.yml
         */
        file?: string;
        /**
         * @description In that file, from 1.
         * @example 12
         */
        line?: number;
        /**
         * @description In that line, from 1.
         * @example 3
         */
        column?: number;
      }[];
      /** @description Stack of the package code that failed, with paths inside the package only. */
      author_stack?: string;
      /**
       * @description Path of the request.
       * @example /api/protocols
       */
      instance?: string;
    };
    /** @description What happened to one record. */
    ServiceEvent: {
      /**
       * @description Rises with every event, in the order in which they were committed; not without gaps.
       * @example 1841
       */
      id: number;
      /**
       * @description `<kind>.<what happened>`, for most kinds the state that the record has now. The kinds are task_run, attempt, protocol_run, campaign, trial, device, agent, attention, halt, resource, lab, protocol.
       * @example task_run.completed
       */
      type: string;
      /** @description Version of the shape of events: 1. */
      schema: unknown;
      /**
       * @description `<kind>/<id of the record>`.
       * @example task_run/0190c0de-0000-7000-8000-000000000001
       */
      aggregate: string;
      /**
       * @description From 1 within the aggregate, without gaps.
       * @example 4
       */
      seq: number;
      /**
       * Format: date-time
       * @description When it was decided.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /** @description What the record was then, in short. Fields may be added; none is removed or changes its meaning within a version. */
      body: {
        [key: string]: unknown;
      };
    };
    EventPage: {
      items: components['schemas']['ServiceEvent'][];
      /** @description For the next page; null: this is the last. */
      next_cursor: string | null;
    };
    /** @description A line that the code of a task or of a device wrote. */
    LogLine: {
      /**
       * @description Rises with every line, in the order in which they were stored; not without gaps.
       * @example 5120
       */
      id: number;
      /**
       * Format: date-time
       * @description When it was written, by the clock of its computer.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /**
       * @description How much it matters.
       * @enum {string}
       */
      level: 'debug' | 'info' | 'warn' | 'error';
      /**
       * @description Whose words it has: of the code of a task or of a device; or of the service, about lines that had to be dropped.
       * @enum {string}
       */
      source: 'task' | 'device' | 'service';
      /**
       * @description Where it was written.
       * @example svc_computer
       */
      computer: string;
      /** @description Laboratory of the device that wrote it. */
      lab: string | null;
      /** @description Name of the device that wrote it. */
      device: string | null;
      /** @description Id of the task run that wrote it. */
      task_run_id: string | null;
      /**
       * @description Name of the task that wrote it.
       * @example mix_colors
       */
      task: string | null;
      /**
       * @description The protocol run of that task.
       * @example mix_1
       */
      protocol_run: string | null;
      /** @description The campaign of that run. */
      campaign: string | null;
      /** @description Id of the attempt that wrote it. */
      attempt_id: string | null;
      /**
       * @description Number of that attempt.
       * @example 1
       */
      attempt: number | null;
      /**
       * @description What was written; at most 8 KiB, the rest is cut.
       * @example dispensing 3.2 mL
       */
      message: string;
    };
    /** @description The agent of a computer, as the leading orchestrator knows it at this moment. */
    AgentRecord: {
      /**
       * @description Name of the computer.
       * @example bench_b
       */
      computer: string;
      /** @description The loaded laboratories that have this computer. */
      labs: string[];
      /**
       * @description Whether it is heard; `offline` also when it was never heard.
       * @enum {string}
       */
      state: 'online' | 'suspect' | 'offline' | 'draining' | 'incompatible';
      /**
       * @description Why it is not online; null when it is.
       * @example it said that it leaves
       */
      reason: string | null;
      /**
       * @description Number of its latest process; null: it has never registered.
       * @example 3
       */
      incarnation: number | null;
      /**
       * @description Version of its latest process; null: not known.
       * @example 0.1.0
       */
      version: string | null;
      /**
       * @description As the lab file says; null: no loaded laboratory has it.
       * @example 192.0.2.11
       */
      address: string | null;
      /**
       * Format: date-time
       * @description When it was last heard; null: never since the present orchestrator leads.
       * @example 2026-11-20T09:30:00.000Z
       */
      last_heard_at: string | null;
      /**
       * @description How far its clock is ahead of that of the orchestrator; null: not known.
       * @example 12
       */
      clock_offset_ms: number | null;
      /** @description Whether it can write what it must write down before it acts; null: not known. */
      ledger: {
        /** @description False: it refuses tasks and effects. */
        writable: boolean;
        /** @description What is wrong with it. */
        detail: string | null;
      } | null;
      /** @description Devices of loaded laboratories that it is to run. */
      devices: {
        /**
         * @description Name of the laboratory.
         * @example color_lab
         */
        lab: string;
        /**
         * @description Name of the device.
         * @example station_1
         */
        name: string;
        /** @enum {string} */
        state:
          'disabled' | 'initializing' | 'idle' | 'busy' | 'aborting' | 'uncertain' | 'restarting' | 'faulted';
        /** @description What is wrong. */
        detail: string | null;
      }[];
      /** @description What is on it. */
      tasks: string[];
    };
    /** @description One execution of a task. */
    AttemptRecord: {
      /** @description Unique identifier of the attempt. */
      id: string;
      /** @description Id of the task run. */
      task_run_id: string;
      /**
       * @description Name of the task.
       * @example mix_colors
       */
      task: string;
      /**
       * @description Protocol run it belongs to; null for an on-demand task.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description From 1 within the task.
       * @example 1
       */
      number: number;
      /** @enum {string} */
      state:
        | 'dispatching'
        | 'uncertain'
        | 'running'
        | 'cancelling'
        | 'completed'
        | 'failed'
        | 'cancelled'
        | 'never_ran'
        | 'needs_attention';
      reason: components['schemas']['Reason'] | null;
      /**
       * @description Computer it was sent to.
       * @example svc_computer
       */
      computer: string;
      /** @description Device handle to the device it had. */
      devices: {
        [key: string]: components['schemas']['DeviceReference'];
      };
      /** @description What it did to devices, as its agent said at the end; null: not known. */
      calls: {
        /**
         * @description Calls of kind `effect` that began.
         * @example 2
         */
        effects: number;
        last_confirmed: {
          /**
           * @description `<lab>.<device>`.
           * @example color_lab.station_1
           */
          device: string;
          /**
           * @description Function of the device.
           * @example mix
           */
          function: string;
          /** @description Unique identifier of the call. */
          call_id: string;
        } | null;
        in_doubt: {
          /**
           * @description `<lab>.<device>`.
           * @example color_lab.station_1
           */
          device: string;
          /**
           * @description Function of the device.
           * @example mix
           */
          function: string;
          /** @description Unique identifier of the call. */
          call_id: string;
        } | null;
      } | null;
      /**
       * Format: date-time
       * @description When it is stopped and has failed, if it still runs; null: no limit.
       * @example 2026-11-20T09:30:00.000Z
       */
      deadline_at: string | null;
      /**
       * Format: date-time
       * @description When it was decided.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it ended.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
    };
    /** @description Something that only a person can settle. */
    AttentionRecord: {
      /** @description Unique identifier. */
      id: string;
      /** @enum {string} */
      kind: 'task' | 'device' | 'agent';
      /** @enum {string} */
      state: 'open' | 'resolved';
      /**
       * @description `<protocol run>/<task>` or an on-demand task, `<lab>.<device>`, or a computer.
       * @example mix_1/mix_colors
       */
      subject: string;
      reason: components['schemas']['Reason'];
      /** @description What may be decided; empty once it is resolved. */
      actions: ('completed' | 'failed' | 'retry' | 'idle' | 'lost')[];
      /**
       * @description Of a task of a protocol run.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Of a task.
       * @example mix_colors
       */
      task: string | null;
      /**
       * @description Number of the attempt in question.
       * @example 1
       */
      attempt: number | null;
      /**
       * @description `<lab>.<device>`.
       * @example color_lab.station_1
       */
      device: string | null;
      /**
       * @description Of an agent or a device.
       * @example bench_b
       */
      computer: string | null;
      /** @description What is known: devices, resources, the last confirmed call, calls in doubt, running tasks. */
      known: {
        [key: string]: unknown;
      };
      /**
       * Format: date-time
       * @description Since when it is open.
       * @example 2026-11-20T09:30:00.000Z
       */
      opened_at: string;
      /**
       * Format: date-time
       * @description When it was settled.
       * @example 2026-11-20T09:30:00.000Z
       */
      resolved_at: string | null;
      resolution: {
        /**
         * @description Null: nobody had to decide any more.
         * @enum {string|null}
         */
        action: 'completed' | 'failed' | 'retry' | 'idle' | 'lost' | null;
        /**
         * @description Who decided; `service` when the question went away by itself.
         * @example ada
         */
        by: string;
        /** @description Why. */
        note: string | null;
      } | null;
    };
    /** @description An emergency stop. */
    EmergencyStopRecord: {
      /** @description Unique identifier. */
      id: string;
      /**
       * @description `all`, `lab:<lab>` or `device:<lab>.<device>`.
       * @example lab:color_lab
       */
      scope: string;
      /**
       * @description Why.
       * @example spill on the bench
       */
      reason: string;
      /**
       * @description Who stopped it.
       * @example ada
       */
      by: string;
      /**
       * Format: date-time
       * @description When it was recorded.
       * @example 2026-11-20T09:30:00.000Z
       */
      engaged_at: string;
      /**
       * Format: date-time
       * @description When it was released; null while it is in force.
       * @example 2026-11-20T09:30:00.000Z
       */
      released_at: string | null;
      /** @description Who released it. */
      released_by: string | null;
    };
    /** @description A setting as a form shows it. */
    SettingField: {
      /**
       * @description Name of the setting.
       * @example p_ai
       */
      key: string;
      /**
       * @description How a form shows it.
       * @enum {string}
       */
      type: 'checkbox' | 'number' | 'text' | 'select';
      /** @description A boolean, number, text or null. */
      default: unknown;
      /** @description May be changed while the campaign runs. */
      runtime: boolean;
      /** @description What a `select` offers. */
      options?: string[];
      /**
       * @description Smallest value of a `number`.
       * @example 0
       */
      min?: number;
      /**
       * @description Largest value of a `number`.
       * @example 1
       */
      max?: number;
      /** @description What it is for. */
      description?: string;
    };
    /** @description The parameters of one run of a campaign, bound to its number once and for ever. */
    Trial: {
      /**
       * @description Number of the protocol run within the campaign, from 1.
       * @example 7
       */
      number: number;
      /**
       * @description Name of that run.
       * @example find_teal_run_7
       */
      run: string;
      /**
       * @description Who chose the inputs: the optimizer, the AI, or the submission.
       * @enum {string}
       */
      source: 'optimizer' | 'ai' | 'given';
      /** @enum {string} */
      state: 'proposed' | 'running' | 'measured' | 'failed';
      /** @description Values by `TASK.PARAMETER`. */
      inputs: {
        [key: string]: unknown;
      };
      /** @description Results by `TASK.PARAMETER`; null until measured. */
      outputs: {
        [key: string]: number;
      } | null;
      /** @description Values of `ai_additional_parameters`, as far as known. */
      additional: {
        [key: string]: unknown;
      };
      /** @description How the parameters were found; `fallback`: why the AI was not used although it was its turn. */
      note: {
        /** @description What the AI wrote about its suggestion. */
        journal?: string;
        /**
         * @description `<provider>:<model>` that was asked.
         * @example ollama:qwen3.5:9b
         */
        model?: string;
        tokens?: {
          /**
           * @description Tokens read.
           * @example 1840
           */
          input: number;
          /**
           * @description Tokens written.
           * @example 210
           */
          output: number;
        };
        /** @description Insights that the suggestion was given. */
        insights?: string[];
        fallback?: {
          /**
           * @description Stable code.
           * @example waiting_for_optimizer
           */
          code: string;
          /** @description In words. */
          message: string;
        };
        /** @description Values were changed a little to fit the domain. */
        adjusted?: boolean;
        /** @description Time limits that ended a computation before its own end. */
        limits_used?: string[];
      };
    };
    InsightRecord: {
      /** @description Names the insight. */
      id: string;
      /**
       * @description What was said.
       * @example Yellow stains the beaker: stay below 12.
       */
      text: string;
      /**
       * @description Who said it.
       * @example ada
       */
      by: string;
      /**
       * Format: date-time
       * @description When.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /** @description A suggestion has succeeded that was given it. */
      used: boolean;
    };
    /** @description What is kept of the optimizer of a campaign; `failure`: why no further trials can be had. */
    KeptOptimizer: {
      /** @description What it proposes. */
      input_names: string[];
      /** @description What it is told. */
      output_names: string[];
      /** @description Further parameters whose values it is told. */
      additional_names: string[];
      fields: components['schemas']['SettingField'][];
      /** @description Values of what may be changed while it runs, by name. */
      runtime_params: {
        [key: string]: unknown;
      };
      /** @description Constructor arguments it was made with, without secrets. */
      arguments: {
        [key: string]: unknown;
      };
      insights: {
        /** @description Names the insight. */
        id: string;
        /** @description What was said. */
        text: string;
        /**
         * @description Who said it.
         * @example ada
         */
        by: string;
        /**
         * @description When, in milliseconds since 1970.
         * @example 1795000000000
         */
        at: number;
        /** @description A suggestion has succeeded that was given it. */
        used: boolean;
      }[];
      /** @description The best rows measured: one, or the Pareto front; null while the campaign goes on. */
      best:
        | {
            [key: string]: unknown;
          }[]
        | null;
      failure: {
        /**
         * @description Stable code.
         * @example waiting_for_optimizer
         */
        code: string;
        /** @description In words. */
        message: string;
      } | null;
    };
    /** @description The optimizer of a protocol before anything is said about it. */
    OptimizerDescription: {
      /** @description What it proposes. */
      input_names: string[];
      /** @description What it is told. */
      output_names: string[];
      /** @description Further parameters whose values it is told. */
      additional_names: string[];
      fields: components['schemas']['SettingField'][];
      /** @description Values of what may be changed while it runs, by name. */
      runtime_params: {
        [key: string]: unknown;
      };
      /** @description Constructor arguments it was made with, without secrets. */
      arguments: {
        [key: string]: unknown;
      };
    };
    /** @description The optimizer of a campaign. No secret is in it. */
    OptimizerRecord: {
      /**
       * @description Campaign.
       * @example find_teal
       */
      campaign: string;
      /**
       * @description `opening`: being made and told what was measured; `ready`; `waiting`: no worker answers, it is tried again; `closed`: nothing is asked of it.
       * @enum {string}
       */
      state: 'opening' | 'ready' | 'waiting' | 'closed';
      reason: {
        /**
         * @description Stable code.
         * @example waiting_for_optimizer
         */
        code: string;
        /** @description In words. */
        message: string;
      } | null;
      /** @description Worker that has it; null: none has. */
      worker: string | null;
      /** @description What it proposes. */
      input_names: string[];
      /** @description What it is told. */
      output_names: string[];
      /** @description Further parameters whose values it is told. */
      additional_names: string[];
      fields: components['schemas']['SettingField'][];
      /** @description Values of what may be changed while it runs, by name. */
      runtime_params: {
        [key: string]: unknown;
      };
      /** @description Constructor arguments it was made with, without secrets. */
      arguments: {
        [key: string]: unknown;
      };
      /** @description Oldest first. */
      insights: components['schemas']['InsightRecord'][];
      /** @description The best rows measured: one, or the Pareto front; null while the campaign goes on. */
      best:
        | {
            [key: string]: unknown;
          }[]
        | null;
      failure: {
        /**
         * @description Stable code.
         * @example waiting_for_optimizer
         */
        code: string;
        /** @description In words. */
        message: string;
      } | null;
      /** @description Trials whose run has not begun. */
      pending: components['schemas']['Trial'][];
      /** @description Notes of the latest trials, newest first; all of them are in the trials. */
      journal: {
        /**
         * @description Number of the protocol run within the campaign, from 1.
         * @example 7
         */
        number: number;
        /**
         * @description Name of that run.
         * @example find_teal_run_7
         */
        run: string;
        /**
         * @description Who chose the inputs: the optimizer, the AI, or the submission.
         * @enum {string}
         */
        source: 'optimizer' | 'ai' | 'given';
        /** @description How the parameters were found; `fallback`: why the AI was not used although it was its turn. */
        note: {
          /** @description What the AI wrote about its suggestion. */
          journal?: string;
          /**
           * @description `<provider>:<model>` that was asked.
           * @example ollama:qwen3.5:9b
           */
          model?: string;
          tokens?: {
            /**
             * @description Tokens read.
             * @example 1840
             */
            input: number;
            /**
             * @description Tokens written.
             * @example 210
             */
            output: number;
          };
          /** @description Insights that the suggestion was given. */
          insights?: string[];
          fallback?: {
            /**
             * @description Stable code.
             * @example waiting_for_optimizer
             */
            code: string;
            /** @description In words. */
            message: string;
          };
          /** @description Values were changed a little to fit the domain. */
          adjusted?: boolean;
          /** @description Time limits that ended a computation before its own end. */
          limits_used?: string[];
        };
      }[];
      /** @description What its model has learnt, with `explain=true`; null: nothing, or not asked. */
      belief: unknown;
    };
    /** @description Values of what may be changed while it runs, by name. */
    RuntimeParameters: {
      [key: string]: unknown;
    };
    QueueRecord: {
      /** @description True: nothing starts until the queue is resumed. */
      paused: boolean;
      /**
       * @description Who paused it.
       * @example ada
       */
      paused_by: string | null;
      /**
       * Format: date-time
       * @description When it was paused.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * @description Task runs that wait for nothing but to start: not those that wait for other tasks.
       * @example 3
       */
      queued: number;
      /**
       * @description Task runs that run.
       * @example 2
       */
      running: number;
    };
    QueuePage: {
      /** @description True: nothing starts until the queue is resumed. */
      paused: boolean;
      /**
       * @description Who paused it.
       * @example ada
       */
      paused_by: string | null;
      /**
       * Format: date-time
       * @description When it was paused.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * @description Task runs that wait for nothing but to start: not those that wait for other tasks.
       * @example 3
       */
      queued: number;
      /**
       * @description Task runs that run.
       * @example 2
       */
      running: number;
      /** @description What waits, in its order. */
      items: components['schemas']['QueuedTask'][];
      /** @description Leads to the page behind this one; null: this is the last one. */
      next_cursor: string | null;
    };
    /** @description A task that waits, at its place in the queue. */
    QueuedTask: {
      /**
       * @description From 1, among all tasks that wait.
       * @example 1
       */
      position: number;
      /** @description Id of the task run. */
      id: string;
      /**
       * @description `<protocol run>/<task>`, or the on-demand task.
       * @example mix_1/mix_colors
       */
      label: string;
      /**
       * @description Name in the protocol, or of the on-demand task.
       * @example mix_colors
       */
      name: string;
      /**
       * @description Task type.
       * @example mix_colors
       */
      type: string;
      /**
       * @description Protocol run it belongs to; null for an on-demand task.
       * @example mix_2
       */
      protocol_run: string | null;
      /**
       * @description Campaign that it belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /**
       * @description Who the work belongs to.
       * @example ada
       */
      owner: string;
      /**
       * @description `created`: it waits for other tasks. `queued`: it waits to start.
       * @enum {string}
       */
      state:
        | 'created'
        | 'queued'
        | 'running'
        | 'completed'
        | 'failed'
        | 'cancelled'
        | 'skipped'
        | 'needs_attention';
      /**
       * @description Higher goes first when work contends.
       * @example 0
       */
      priority: number;
      /**
       * @description The priority with what waiting has added to it.
       * @example 1
       */
      effective_priority: number;
      /**
       * Format: date-time
       * @description Since when it waits for no other task, or else since when it is there.
       * @example 2026-11-20T09:30:00.000Z
       */
      waiting_since: string;
      /**
       * @description Seconds since then.
       * @example 662.5
       */
      waited: number;
      /**
       * Format: date-time
       * @description When the plan starts it; null: not planned.
       * @example 2026-11-20T09:30:00.000Z
       */
      planned_start: string | null;
      /** @description Why it has not started. */
      waits_for: components['schemas']['WaitCause'][];
    };
    ScheduleRecord: {
      /**
       * @description The scheduling policy that decides.
       * @enum {string}
       */
      policy: 'greedy' | 'cpsat';
      /**
       * Format: date-time
       * @description The moment that all of this describes.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      plan: components['schemas']['PlanRecord'] | null;
      /** @description Those that run, then those that wait, in the order of their planned starts or else of the queue, then those that have ended. */
      tasks: components['schemas']['ScheduledTask'][];
      /**
       * @description How many tasks there are, listed or not.
       * @example 7
       */
      tasks_total: number;
      /** @description Devices and resources, by kind and name. */
      units: components['schemas']['ScheduledUnit'][];
      protocol_runs: components['schemas']['ScheduledRun'][];
      campaigns: components['schemas']['ScheduledCampaign'][];
    };
    /** @description How good the plan is, and where it comes from. */
    PlanRecord: {
      /**
       * Format: date-time
       * @description When it was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      made_at: string;
      /**
       * @description What the policy minimises: weighted completion plus weighted makespan.
       * @example 61.5
       */
      objective: number;
      /**
       * @description Sum over protocol runs and on-demand tasks of weight x seconds until it is complete.
       * @example 41.2
       */
      weighted_completion: number;
      /**
       * @description Seconds from `made_at` to the end of everything planned.
       * @example 20.3
       */
      makespan: number;
      /**
       * @description No plan can have a lower objective; null: not known.
       * @example 58
       */
      lower_bound: number | null;
      /**
       * @description `(objective - lower_bound) / objective`; null: not known.
       * @example 0.057
       */
      gap: number | null;
      provenance: {
        /**
         * @description What found it: `repair`, `list`, `search` or `cp-sat`.
         * @example search
         */
        engine: string;
        /**
         * @description Seed of what found it.
         * @example 1
         */
        seed: number | null;
        /**
         * @description Milliseconds that it took.
         * @example 840
         */
        ms: number | null;
        /** @description With the same seed the same plan would be found. */
        reproducible: boolean;
      };
    };
    /** @description A task that runs or waits, or has ended in a run that goes on. */
    ScheduledTask: {
      /** @description Id of the task run. */
      id: string;
      /**
       * @description `<protocol run>/<task>`, or the on-demand task.
       * @example mix_1/mix_colors
       */
      label: string;
      /**
       * @description Name in the protocol, or of the on-demand task.
       * @example mix_colors
       */
      name: string;
      /**
       * @description Task type.
       * @example mix_colors
       */
      type: string;
      /**
       * @description Protocol run it belongs to; null for an on-demand task.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Campaign that it belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /**
       * @description Higher goes first when work contends.
       * @example 0
       */
      priority: number;
      /** @enum {string} */
      state:
        | 'created'
        | 'queued'
        | 'running'
        | 'completed'
        | 'failed'
        | 'cancelled'
        | 'skipped'
        | 'needs_attention';
      /**
       * Format: date-time
       * @description When the plan starts it; null: not planned.
       * @example 2026-11-20T09:30:00.000Z
       */
      planned_start: string | null;
      /**
       * Format: date-time
       * @description When it is expected to end; null: not planned.
       * @example 2026-11-20T09:30:00.000Z
       */
      planned_end: string | null;
      /**
       * Format: date-time
       * @description When it started.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it ended.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /** @description Seconds later than the greatest lag after its dependencies allowed; null: not late. */
      late_by_s: number | null;
      /** @description How long a task is expected to take. */
      duration: {
        /**
         * @description Seconds that the plan counts on; null: nothing is known.
         * @example 0.83
         */
        expected: number | null;
        /**
         * @description Seconds, as declared in the protocol; null: not declared.
         * @example 0.8
         */
        declared: number | null;
        /**
         * @description Seconds: the median of the latest completed attempts; null: fewer than 3 are known.
         * @example 0.83
         */
        learned: number | null;
        /**
         * @description How many completed attempts are known, at most 32.
         * @example 12
         */
        samples: number;
      };
      /** @description Device handle to the device it has or had, else to the one that is planned. */
      devices: {
        [key: string]: string;
      };
      /** @description Resource handle to the resource, likewise. */
      resources: {
        [key: string]: string;
      };
      /** @description Why it has not started; empty when it has started or is over. */
      waits_for: components['schemas']['WaitCause'][];
    };
    /** @description One reason why a task has not started. */
    WaitCause: {
      /**
       * @description `dependency`: `tasks` have not completed. `lag`: a least time after a dependency is over at `until`. `group`: it starts at the end of `tasks`. `device`, `resource`: `unit` is in the hands of `held_by` until `until`. `lower_priority`: `tasks` go first on `unit`. `no_eligible_device`, `no_eligible_resource`: nothing can fill `slot`, and `candidates` says why. `computer_away`: its computer is not connected. `paused`: people paused its run, its campaign or the queue. `attention`: its run waits for a person. `emergency_stop`: people stopped everything. `retry_pause`: it is tried again at `until`. `campaign_limit`: its campaign has as many runs under way as it may. `hold_order`: started now, its run could come to keep what another run needs and wait for what that one keeps. `planned`: it could start, and the plan starts it at `until`. `beyond_horizon`: the plan does not reach so far. `unplanned`: the plan has no place for it, as `message` says.
       * @enum {string}
       */
      code:
        | 'dependency'
        | 'lag'
        | 'group'
        | 'device'
        | 'resource'
        | 'lower_priority'
        | 'no_eligible_device'
        | 'no_eligible_resource'
        | 'computer_away'
        | 'paused'
        | 'attention'
        | 'emergency_stop'
        | 'retry_pause'
        | 'campaign_limit'
        | 'hold_order'
        | 'planned'
        | 'beyond_horizon'
        | 'unplanned';
      /**
       * @description In words.
       * @example color_lab.robot_arm is in use by mix_2/retrieve_container
       */
      message: string;
      /** @description The tasks that it waits for. */
      tasks?: string[];
      /**
       * @description `<lab>.<device>` or the resource.
       * @example color_lab.station_1
       */
      unit?: string;
      /**
       * @description Handle that could not be filled.
       * @example station
       */
      slot?: string;
      /**
       * @description Task that uses the unit, or protocol run that keeps it.
       * @example mix_2/retrieve_container
       */
      held_by?: string;
      /**
       * Format: date-time
       * @description When that is expected to be over; null: nobody can know.
       * @example 2026-11-20T09:30:00.000Z
       */
      until?: string | null;
      /** @description Every unit that fits the slot; empty when no loaded laboratory has one. */
      candidates?: {
        /**
         * @description `<lab>.<device>` or the resource.
         * @example color_lab.station_1
         */
        unit: string;
        /**
         * @description Why it is out.
         * @example faulted
         */
        why: string;
      }[];
    };
    /** @description A device or a resource, and who has it when. */
    ScheduledUnit: {
      /** @enum {string} */
      kind: 'device' | 'resource';
      /**
       * @description `<lab>.<device>` or the resource.
       * @example color_lab.station_1
       */
      name: string;
      /** @description It may be given to a task at present. */
      usable: boolean;
      /** @description Why not; null when it may. */
      unusable_because: string | null;
      /**
       * @description Task that uses it at present.
       * @example mix_1/mix_colors
       */
      used_by: string | null;
      /**
       * @description Protocol run that keeps it.
       * @example mix_1
       */
      held_by: string | null;
      /**
       * Format: date-time
       * @description When it is expected to be free for others; null: it is free, or nobody can know.
       * @example 2026-11-20T09:30:00.000Z
       */
      free_at: string | null;
      /** @description Tasks on it in the order of their starts: those that ran or run, then those that are planned. */
      timeline: {
        /** @description Id of the task run. */
        task: string;
        /**
         * @description `<protocol run>/<task>`, or the on-demand task.
         * @example mix_1/mix_colors
         */
        label: string;
        /**
         * Format: date-time
         * @description When it started or is to start.
         * @example 2026-11-20T09:30:00.000Z
         */
        start: string;
        /**
         * Format: date-time
         * @description When it ended or is expected to end; null: nobody can know.
         * @example 2026-11-20T09:30:00.000Z
         */
        end: string | null;
        /** @description True: it has not started. */
        planned: boolean;
      }[];
    };
    ScheduledRun: {
      /** @description Id of the protocol run. */
      id: string;
      /**
       * @description Protocol run.
       * @example mix_1
       */
      name: string;
      /**
       * @description Campaign that it belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      /**
       * @description Higher goes first when work contends.
       * @example 0
       */
      priority: number;
      /**
       * @description Tasks that it has.
       * @example 7
       */
      tasks_total: number;
      /**
       * @description Tasks of it that are over.
       * @example 2
       */
      tasks_ended: number;
      /**
       * Format: date-time
       * @description When its last task is expected to end; null: not planned, paused, or waiting for a person.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
    };
    ScheduledCampaign: {
      /** @description Id of the campaign. */
      id: string;
      /**
       * @description Campaign.
       * @example sweep
       */
      name: string;
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      /**
       * @description Protocol runs that it is to have.
       * @example 12
       */
      runs_total: number;
      /**
       * @description Protocol runs that have begun.
       * @example 5
       */
      runs_started: number;
      /**
       * @description Protocol runs that have completed.
       * @example 2
       */
      runs_completed: number;
      /**
       * @description Protocol runs that have failed.
       * @example 0
       */
      runs_failed: number;
      /**
       * Format: date-time
       * @description When its last run is expected to end; null: not known.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
    };
    HealthReport: {
      /**
       * @description `unavailable` when a part is that requests need, `degraded` when one does less than it should.
       * @enum {string}
       */
      status: 'ok' | 'degraded' | 'unavailable';
      /**
       * @description Number of the leadership of the orchestrator that answered.
       * @example 3
       */
      epoch: number | null;
      parts: {
        gateway: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of it there is, or why it is not ok. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when it is so, as far as the gateway has looked; only of what is not ok.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        broker: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of it there is, or why it is not ok. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when it is so, as far as the gateway has looked; only of what is not ok.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        database: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of it there is, or why it is not ok. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when it is so, as far as the gateway has looked; only of what is not ok.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        orchestrator: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of it there is, or why it is not ok. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when it is so, as far as the gateway has looked; only of what is not ok.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        agents: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of it there is, or why it is not ok. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when it is so, as far as the gateway has looked; only of what is not ok.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        packages: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of it there is, or why it is not ok. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when it is so, as far as the gateway has looked; only of what is not ok.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
      };
    };
    /** @description Seconds by what was waited for. */
    WaitingTimes: {
      /**
       * @description Seconds in which tasks that it needs had not ended.
       * @example 12.5
       */
      dependency: number;
      /**
       * @description Seconds in which what it needs was in use by tasks that had begun before it could start.
       * @example 12.5
       */
      busy: number;
      /**
       * @description Seconds in which what it needs was given to others after it could have started.
       * @example 12.5
       */
      priority: number;
      /**
       * @description Seconds in which what it needs was kept by another protocol run.
       * @example 12.5
       */
      held: number;
      /**
       * @description Seconds in which every device that fits was out of order.
       * @example 12.5
       */
      no_device: number;
      /**
       * @description Seconds in which all was free: for a lag, a pause, or because the plan keeps it free.
       * @example 12.5
       */
      planned: number;
    };
    SimulatedTaskRecord: {
      /**
       * @description `<protocol run>/<task>`, or the name of the on-demand task.
       * @example color_mixing_001/mix_colors
       */
      label: string;
      /**
       * @description Task type.
       * @example mix_colors
       */
      type: string;
      /** @description Null for an on-demand task. */
      protocol_run: string | null;
      /**
       * @description Its priority.
       * @example 0
       */
      priority: number;
      /** @enum {string} */
      state:
        | 'created'
        | 'queued'
        | 'running'
        | 'completed'
        | 'failed'
        | 'cancelled'
        | 'skipped'
        | 'needs_attention';
      /**
       * @description Attempts in all.
       * @example 1
       */
      attempts: number;
      /**
       * @description When nothing but devices and resources was missing, in seconds from the beginning; null: never.
       * @example 12.5
       */
      ready: number | null;
      /**
       * @description Start of the latest attempt, in seconds from the beginning; null: never.
       * @example 12.5
       */
      start: number | null;
      /**
       * @description End of the latest attempt, in seconds from the beginning; null: never.
       * @example 12.5
       */
      end: number | null;
      /** @description Slot to `<lab>.<device>`. */
      devices: {
        [key: string]: string;
      };
      /** @description Slot to the name of the resource. */
      resources: {
        [key: string]: string;
      };
      waited: components['schemas']['WaitingTimes'];
    };
    SimulatedRunRecord: {
      /**
       * @description Name of the protocol run.
       * @example color_mixing_001
       */
      name: string;
      /**
       * @description Type of the protocol.
       * @example color_mixing
       */
      type: string;
      /** @description Campaign that it belongs to. */
      campaign: string | null;
      /**
       * @description Its priority.
       * @example 0
       */
      priority: number;
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      /**
       * @description Seconds from the beginning to its arrival.
       * @example 12.5
       */
      submitted: number;
      /**
       * @description Start of its first task, in seconds from the beginning; null: never.
       * @example 12.5
       */
      start: number | null;
      /**
       * @description Its end, in seconds from the beginning; null: never.
       * @example 12.5
       */
      end: number | null;
    };
    SimulatedUnitRecord: {
      /** @enum {string} */
      kind: 'device' | 'resource';
      /**
       * @description `<lab>.<device>` or the name of the resource.
       * @example color_lab.robot_arm
       */
      name: string;
      /**
       * @description Seconds of use.
       * @example 12.5
       */
      busy: number;
      /**
       * @description Seconds in which a protocol run kept it between two tasks.
       * @example 12.5
       */
      held: number;
      /**
       * @description Seconds out of order.
       * @example 12.5
       */
      out: number;
      /**
       * @description Share of the makespan in which it was in use.
       * @example 0.75
       */
      utilisation: number;
      /** @description In the order of time. */
      timeline: {
        /** @enum {string} */
        what: 'use' | 'hold' | 'out';
        /** @description Task that used it, or protocol run that kept it. */
        by: string | null;
        /**
         * @description Seconds from the beginning.
         * @example 12.5
         */
        start: number;
        /**
         * @description Seconds from the beginning.
         * @example 12.5
         */
        end: number;
      }[];
    };
    SimulationRecord: {
      /** @enum {string} */
      scheduler: 'greedy' | 'cpsat';
      /**
       * @description As asked for.
       * @example 0.1
       */
      jitter: number;
      /**
       * @description As asked for.
       * @example 42
       */
      seed: number;
      /**
       * @description All work is over, what is left waits for ever, or the time was over.
       * @enum {string}
       */
      outcome: 'completed' | 'stuck' | 'horizon';
      /**
       * @description Seconds from the first start of a task to the end of the last one.
       * @example 12.5
       */
      makespan: number;
      /**
       * @description Seconds from the beginning to the end of the last task.
       * @example 12.5
       */
      end: number;
      parallelism: {
        /**
         * @description Tasks at the same time, at most.
         * @example 3
         */
        max: number;
        /**
         * @description Tasks at the same time, on average.
         * @example 1.9
         */
        average: number;
      };
      /**
       * @description How many tasks there were.
       * @example 42
       */
      tasks_total: number;
      /** @description State to number of tasks. */
      tasks_by_state: {
        [key: string]: number;
      };
      waiting: components['schemas']['WaitingTimes'];
      protocol_runs: components['schemas']['SimulatedRunRecord'][];
      tasks: components['schemas']['SimulatedTaskRecord'][];
      /** @description Devices and resources, by kind and name. */
      units: components['schemas']['SimulatedUnitRecord'][];
      /** @description Tasks that could never start, and why; of at most 100. */
      stuck: {
        /**
         * @description `<protocol run>/<task>`, or the name of the on-demand task.
         * @example color_mixing_001/mix_colors
         */
        task: string;
        waits_for: string[];
      }[];
      /** @description What did not go by the book, in the order of time. */
      events: {
        /**
         * @description Seconds from the beginning.
         * @example 12.5
         */
        at: number;
        /**
         * @description What happened.
         * @example device lost
         */
        what: string;
        /**
         * @description To what.
         * @example color_lab.station_2
         */
        subject: string;
        /** @description More of it; may be empty. */
        detail: string;
      }[];
      planning: {
        /**
         * @description How often the policy was asked for a plan.
         * @example 120
         */
        plans: number;
        /**
         * @description Real milliseconds of all plans.
         * @example 2.1
         */
        total_ms: number;
        /**
         * @description Real milliseconds of the longest.
         * @example 0.2
         */
        max_ms: number;
      };
    };
    WhatIfRecord: {
      /**
       * Format: date-time
       * @description The moment that this describes.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /** @enum {string} */
      scheduler: 'greedy' | 'cpsat';
      /**
       * @description Name of the protocol run.
       * @example mix_1
       */
      name: string;
      /**
       * Format: date-time
       * @description When its first task would start; null: it would not.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_start: string | null;
      /**
       * Format: date-time
       * @description When it would be completed; null: it would not.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_end: string | null;
      tasks: {
        /**
         * @description Name of the task.
         * @example mix_colors
         */
        name: string;
        /**
         * @description Task type.
         * @example mix_colors
         */
        type: string;
        /** @description Slot to `<lab>.<device>`. */
        devices: {
          [key: string]: string;
        };
        /** @description Slot to the name of the resource. */
        resources: {
          [key: string]: string;
        };
        /**
         * Format: date-time
         * @description When it would start; null: it would not.
         * @example 2026-11-20T09:30:00.000Z
         */
        estimated_start: string | null;
        /**
         * Format: date-time
         * @description When it would end; null: it would not.
         * @example 2026-11-20T09:30:00.000Z
         */
        estimated_end: string | null;
      }[];
      /** @description Other work that is under way. */
      others: {
        /** @enum {string} */
        kind: 'campaign' | 'protocol_run' | 'task';
        /**
         * @description Its name.
         * @example sweep_run_3
         */
        name: string;
        /** @description Campaign that the protocol run belongs to. */
        campaign: string | null;
        /**
         * Format: date-time
         * @description When it would be completed without this run; null: it would not.
         * @example 2026-11-20T09:30:00.000Z
         */
        without: string | null;
        /**
         * Format: date-time
         * @description When it would be completed with this run; null: it would not.
         * @example 2026-11-20T09:30:00.000Z
         */
        with: string | null;
        /**
         * @description Seconds; negative: earlier; null: not known.
         * @example 3.5
         */
        delay: number | null;
      }[];
      /** @description Why it would not end. */
      notes: string[];
    };
    SubmissionEstimate: {
      /**
       * Format: date-time
       * @description The moment that this describes.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /** @enum {string} */
      scheduler: 'greedy' | 'cpsat';
      /**
       * Format: date-time
       * @description When its first task would start; null: it would not, or that is not known.
       * @example 2026-11-20T09:30:00.000Z
       */
      starts_at: string | null;
      /**
       * Format: date-time
       * @description When all of it would be completed; null: it would not be, or that is not known.
       * @example 2026-11-20T09:30:00.000Z
       */
      ends_at: string | null;
      /**
       * @description Seconds from the start of a run to its end, on average; of a task: of the task.
       * @example 2.3
       */
      seconds_per_run: number | null;
      /**
       * @description How many runs were played through; of a task 0.
       * @example 1
       */
      runs: number;
      /** @description The tasks of the run, of the first run of the campaign, or the task itself. */
      tasks: {
        /**
         * @description Name of the task.
         * @example mix_colors
         */
        name: string;
        /**
         * Format: date-time
         * @description When it would start; null: it would not.
         * @example 2026-11-20T09:30:00.000Z
         */
        starts_at: string | null;
        /**
         * Format: date-time
         * @description When it would end; null: it would not.
         * @example 2026-11-20T09:30:00.000Z
         */
        ends_at: string | null;
        waited: components['schemas']['WaitingTimes'];
      }[];
      /** @description Why something of this is not known; null: all of it is. */
      reason: string | null;
    };
    Fault: {
      /**
       * @description Path inside the document or body.
       * @example tasks[2].devices.mixer
       */
      path: string;
      /**
       * @description Rule that is broken.
       * @example unknown_device_type
       */
      code: string;
      /** @description What is wrong. */
      message: string;
      /** @description What would be right. */
      hint?: string;
      /**
       * @description Definition file, relative to the user directory.
       * @example demo/tasks/mix/task.yml
       */
      file?: string;
      /**
       * @description In that file, from 1.
       * @example 12
       */
      line?: number;
      /**
       * @description In that line, from 1.
       * @example 3
       */
      column?: number;
    };
    LabRecord: {
      /**
       * @description Name of the laboratory.
       * @example color_lab
       */
      name: string;
      /** @description What it is. */
      desc: string;
      /** @enum {string} */
      state: 'loaded' | 'draining' | 'unloaded';
      /**
       * @description What is done when the work of a draining laboratory has ended.
       * @enum {string|null}
       */
      draining_for: 'unload' | 'reload' | null;
      /**
       * @description Package that defines it.
       * @example color_lab
       */
      package: string;
      /**
       * @description Its file, relative to the user directory.
       * @example color_lab/laboratories/color_lab/lab.yml
       */
      file: string;
      /** @description Content hash of the loaded version, or of the one on disk; null when it has errors. */
      hash: string | null;
      /** @description False: its files, as they were last read, have errors. */
      sound: boolean;
      /** @description Names of its devices. */
      devices: string[];
      /** @description Names of its resources. */
      resources: string[];
    };
    LabChange: {
      /**
       * @description Name of the laboratory.
       * @example color_lab
       */
      name: string;
      /** @enum {string} */
      state: 'loaded' | 'draining' | 'unloaded';
      /** @description Content hash of the loaded version, or of the one on disk; null when it has errors. */
      hash: string | null;
      /** @description Its devices, after a load or reload. */
      devices: components['schemas']['LoadedDevice'][];
      /** @description Protocols that are unloaded with it. */
      unloaded_protocols: string[];
      /** @description Work that a drain waits for. */
      waits_for: string[];
    };
    LoadedDevice: {
      /**
       * @description Name within the laboratory.
       * @example station_1
       */
      name: string;
      /**
       * @description Computer whose agent runs it.
       * @example svc_computer
       */
      computer: string;
      /**
       * @description `disabled`: its computer is not connected; it starts when that comes.
       * @enum {string}
       */
      state:
        'disabled' | 'initializing' | 'idle' | 'busy' | 'aborting' | 'uncertain' | 'restarting' | 'faulted';
      /** @description What is wrong, in words; null when nothing is. */
      detail: string | null;
      /** @description False: it was running already and goes on unchanged. */
      started: boolean;
    };
    ProtocolChange: {
      /**
       * @description Type name of the protocol.
       * @example color_mixing
       */
      type: string;
      /** @description Whether it is loaded. */
      loaded: boolean;
      /** @description Content hash of the loaded version, or of the one on disk; null when it has errors. */
      hash: string | null;
      /** @description Work that goes on with the version it was accepted with. */
      still_running: string[];
    };
    TaskTypeChange: {
      /**
       * @description Name of the task type.
       * @example mix_colors
       */
      type: string;
      /** @description Content hash of the version that is loaded. */
      hash: string;
      /** @description Loaded protocols that use it from their next run on. */
      protocols: string[];
    };
    DefinitionSummary: {
      /** @enum {string} */
      type: 'lab' | 'device' | 'task' | 'protocol';
      /**
       * @description Name of the definition.
       * @example mix_colors
       */
      name: string;
      /**
       * @description Package that defines it.
       * @example color_lab
       */
      package: string;
      /**
       * @description Its file, relative to the user directory.
       * @example color_lab/laboratories/color_lab/lab.yml
       */
      file: string;
      /** @description Whether it is loaded. */
      loaded: boolean;
      /** @description Content hash of the loaded version, or of the one on disk; null when it has errors. */
      hash: string | null;
      /** @description False: its files, as they were last read, have errors. */
      sound: boolean;
    };
    DefinitionRecord: {
      /** @enum {string} */
      type: 'lab' | 'device' | 'task' | 'protocol';
      /**
       * @description Name of the definition.
       * @example mix_colors
       */
      name: string;
      /**
       * @description Package that defines it.
       * @example color_lab
       */
      package: string;
      /**
       * @description Its file, relative to the user directory.
       * @example color_lab/laboratories/color_lab/lab.yml
       */
      file: string;
      /** @description Whether it is loaded. */
      loaded: boolean;
      /** @description Content hash of the loaded version, or of the one on disk; null when it has errors. */
      hash: string | null;
      /** @description False: its files, as they were last read, have errors. */
      sound: boolean;
      /** @description The definition, with everything optional filled in. */
      definition: {
        [key: string]: unknown;
      } | null;
      /** @description What is wrong, and where. */
      errors: components['schemas']['Fault'][];
    };
    PackageRecord: {
      /**
       * @description Package that defines it.
       * @example color_lab
       */
      name: string;
      /** @description Laboratories that it defines. */
      labs: string[];
      /** @description Device types. */
      devices: string[];
      /** @description Task types. */
      tasks: string[];
      /** @description Protocols. */
      protocols: string[];
      /** @description What is wrong, and where. */
      errors: components['schemas']['Fault'][];
    };
    Validation: {
      /** @description True: a package with this protocol would load. */
      valid: boolean;
      /** @description What is wrong, and where. */
      errors: components['schemas']['Fault'][];
    };
    Grant: {
      /**
       * @description What may be done; each role includes those before it.
       * @enum {string}
       */
      role: 'viewer' | 'submitter' | 'operator' | 'lab_admin' | 'admin';
      /**
       * @description The one lab it is for; absent: all labs.
       * @example color_lab
       */
      lab?: string;
    };
    Principal: {
      /**
       * @description Owner of what is submitted, and name in the audit.
       * @example ada
       */
      name: string;
      /**
       * @description `local`: authentication is off. `token`: by a token of this service. `oidc`: by one of the issuer.
       * @enum {string}
       */
      kind: 'local' | 'token' | 'oidc';
      grants: components['schemas']['Grant'][];
    };
    TokenRecord: {
      /** @description Id of the token, which is not the token itself. */
      id: string;
      /**
       * @description How the token begins, to tell it from others.
       * @example svc_pat_Jx3q
       */
      prefix: string;
      /**
       * @description Of a person, or of a program.
       * @enum {string}
       */
      kind: 'personal' | 'service';
      /**
       * @description Who shows it: owner of what is submitted with it, and name in the audit.
       * @example ada
       */
      name: string;
      /**
       * @description What it is for.
       * @example notebook on the bench
       */
      note: string;
      grants: components['schemas']['Grant'][];
      /**
       * Format: date-time
       * @description When it was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Who made it.
       * @example root
       */
      created_by: string;
      /**
       * Format: date-time
       * @description From when on it counts no more; null: it does not expire.
       * @example 2026-11-20T09:30:00.000Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When it was last shown, to within about a minute; null: never.
       * @example 2026-11-20T09:30:00.000Z
       */
      last_used_at: string | null;
      /**
       * Format: date-time
       * @description When it was revoked.
       * @example 2026-11-20T09:30:00.000Z
       */
      revoked_at: string | null;
      /** @description Who revoked it. */
      revoked_by: string | null;
    };
    NewTokenRecord: {
      /** @description Id of the token, which is not the token itself. */
      id: string;
      /**
       * @description How the token begins, to tell it from others.
       * @example svc_pat_Jx3q
       */
      prefix: string;
      /**
       * @description Of a person, or of a program.
       * @enum {string}
       */
      kind: 'personal' | 'service';
      /**
       * @description Who shows it: owner of what is submitted with it, and name in the audit.
       * @example ada
       */
      name: string;
      /**
       * @description What it is for.
       * @example notebook on the bench
       */
      note: string;
      grants: components['schemas']['Grant'][];
      /**
       * Format: date-time
       * @description When it was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Who made it.
       * @example root
       */
      created_by: string;
      /**
       * Format: date-time
       * @description From when on it counts no more; null: it does not expire.
       * @example 2026-11-20T09:30:00.000Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When it was last shown, to within about a minute; null: never.
       * @example 2026-11-20T09:30:00.000Z
       */
      last_used_at: string | null;
      /**
       * Format: date-time
       * @description When it was revoked.
       * @example 2026-11-20T09:30:00.000Z
       */
      revoked_at: string | null;
      /** @description Who revoked it. */
      revoked_by: string | null;
      /** @description The token. It is not kept and cannot be shown again. */
      token: string;
    };
    TokenPage: {
      items: components['schemas']['TokenRecord'][];
      /** @description Where the next page begins; null: this is the last one. */
      next_cursor: string | null;
    };
    AuditVerification: {
      /**
       * @description Entries that were looked at, the broken one included.
       * @example 1204
       */
      entries: number;
      broken: {
        /**
         * @description Number of the entry.
         * @example 17
         */
        seq: number;
        /** @description Id of the entry; null when it is missing. */
        id: string | null;
        /**
         * @description What is wrong with it.
         * @example it was changed
         */
        reason: string;
      } | null;
      /** @description Hash of the last sound entry. */
      head: string;
    };
    WebhookRecord: {
      /** @description Id of the webhook. */
      id: string;
      /**
       * @description Where events are sent.
       * @example https://receiver.example.org/lab
       */
      url: string;
      /**
       * @description What it is for.
       * @example chat of the group
       */
      description: string;
      filters: components['schemas']['WebhookFilters'];
      /** @description Whether anything is sent. */
      enabled: boolean;
      /**
       * @description `failing`: the last attempts were not accepted. `disabled`: by somebody, or with a `reason` by the service: after 5 days of failures, or when the receiver answered 410, or when events were removed before they were sent.
       * @enum {string}
       */
      state: 'active' | 'failing' | 'disabled';
      reason: {
        /**
         * @description `not_accepted`, `gone` or `events_pruned`.
         * @example not_accepted
         */
        code: string;
        /**
         * @description In words.
         * @example the receiver answered 503
         */
        message: string;
      } | null;
      /**
       * Format: date-time
       * @description Since when no attempt was accepted.
       * @example 2026-11-20T09:30:00.000Z
       */
      failing_since: string | null;
      /**
       * @description Id of the event up to which all that it wants is in its deliveries.
       * @example 1841
       */
      position: number;
      /**
       * Format: date-time
       * @description Until when the secret before the last rotation signs too.
       * @example 2026-11-20T09:30:00.000Z
       */
      previous_secret_until: string | null;
      /**
       * Format: date-time
       * @description When it was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Who made it.
       * @example root
       */
      created_by: string;
      /**
       * Format: date-time
       * @description When somebody changed it last.
       * @example 2026-11-20T09:30:00.000Z
       */
      changed_at: string;
    };
    NewWebhookRecord: {
      /** @description Id of the webhook. */
      id: string;
      /**
       * @description Where events are sent.
       * @example https://receiver.example.org/lab
       */
      url: string;
      /**
       * @description What it is for.
       * @example chat of the group
       */
      description: string;
      filters: components['schemas']['WebhookFilters'];
      /** @description Whether anything is sent. */
      enabled: boolean;
      /**
       * @description `failing`: the last attempts were not accepted. `disabled`: by somebody, or with a `reason` by the service: after 5 days of failures, or when the receiver answered 410, or when events were removed before they were sent.
       * @enum {string}
       */
      state: 'active' | 'failing' | 'disabled';
      reason: {
        /**
         * @description `not_accepted`, `gone` or `events_pruned`.
         * @example not_accepted
         */
        code: string;
        /**
         * @description In words.
         * @example the receiver answered 503
         */
        message: string;
      } | null;
      /**
       * Format: date-time
       * @description Since when no attempt was accepted.
       * @example 2026-11-20T09:30:00.000Z
       */
      failing_since: string | null;
      /**
       * @description Id of the event up to which all that it wants is in its deliveries.
       * @example 1841
       */
      position: number;
      /**
       * Format: date-time
       * @description Until when the secret before the last rotation signs too.
       * @example 2026-11-20T09:30:00.000Z
       */
      previous_secret_until: string | null;
      /**
       * Format: date-time
       * @description When it was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Who made it.
       * @example root
       */
      created_by: string;
      /**
       * Format: date-time
       * @description When somebody changed it last.
       * @example 2026-11-20T09:30:00.000Z
       */
      changed_at: string;
      /** @description The secret. It cannot be shown again. */
      secret: string;
    };
    DeliveryRecord: {
      /** @description Id of the delivery. */
      id: string;
      /** @description Id of the webhook. */
      webhook_id: string;
      /**
       * @description The header `webhook-id`: the same for every attempt, and when the event is sent again later.
       * @example event_1841
       */
      message_id: string;
      /**
       * @description Id of the event; null: a ping.
       * @example 1841
       */
      event_id: number | null;
      /**
       * @description Type of the event.
       * @example campaign.completed
       */
      type: string;
      /**
       * @description Which record it is about.
       * @example campaign/0190c0de-0000-7000-8000-000000000003
       */
      aggregate: string;
      /**
       * @description `given_up`: not accepted in 15 attempts, and not tried any more.
       * @enum {string}
       */
      state: 'pending' | 'delivered' | 'given_up';
      /**
       * @description Attempts since it was last asked for.
       * @example 2
       */
      attempts: number;
      /**
       * Format: date-time
       * @description When it was taken for the webhook.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the last attempt ended.
       * @example 2026-11-20T09:30:00.000Z
       */
      attempted_at: string | null;
      /**
       * Format: date-time
       * @description From when on the next attempt is made; null: none is to come.
       * @example 2026-11-20T09:30:00.000Z
       */
      next_attempt_at: string | null;
      /**
       * @description HTTP status of the last answer; null: there was none.
       * @example 503
       */
      status: number | null;
      /**
       * @description How long the last attempt took, in milliseconds.
       * @example 41
       */
      duration_ms: number | null;
      /**
       * @description Why the last attempt was not accepted.
       * @example the receiver answered 503
       */
      error: string | null;
      /**
       * @description Beginning of the last answer, 1 kB at most.
       * @example busy
       */
      answer: string | null;
    };
    ProtocolRunSubmission: {
      /**
       * @description Unique name of the protocol run.
       * @example mix_1
       */
      name: string;
      /**
       * @description Type name of the protocol.
       * @example color_mixing
       */
      type: string;
      /**
       * @description Label of who the work belongs to. Default empty.
       * @example ada
       */
      owner?: string;
      /**
       * @description Higher goes first when work contends. Default 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Task name to parameter name to value: at least every `svc_dynamic` parameter of the protocol.
       * @example {
       *       "mix_colors": {
       *         "cyan_volume": 2.5
       *       }
       *     }
       */
      parameters?: {
        [key: string]: Record<string, unknown>;
      };
      /**
       * @description Task name to what is done about its failures, over what the protocol says.
       * @example {
       *       "mix_colors": {
       *         "timeout": 600,
       *         "on_failure": "ask"
       *       }
       *     }
       */
      failure_policy?: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /**
       * @description True: a protocol run of this name that failed or was cancelled goes on where it stopped, with what it was submitted with; completed tasks are kept. Default false.
       * @example false
       */
      resume?: boolean;
      /** @description Free object kept with the record. */
      meta?: Record<string, unknown>;
    };
    CampaignResumption: {
      /**
       * @description Settings of its optimizer, over those it was submitted with and those that were changed since. Its inputs, outputs and constraints cannot be changed any more.
       * @example {
       *       "p_ai": 0.25
       *     }
       */
      optimizer_overrides?: {
        [key: string]: unknown;
      };
      /**
       * @description Who decides, for the audit. Default "unknown".
       * @example ada
       */
      by?: string;
    };
    CampaignSubmission: {
      /**
       * @description Unique name of the campaign.
       * @example sweep
       */
      name: string;
      /**
       * @description Type name of the protocol to run.
       * @example color_mixing
       */
      protocol: string;
      /**
       * @description Label of who the work belongs to. Default empty.
       * @example ada
       */
      owner?: string;
      /**
       * @description Higher goes first when work contends. Default 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Number of protocol runs; 0: no limit.
       * @example 12
       */
      max_protocol_runs: number;
      /**
       * @description Cap on simultaneous protocol runs. Default 1.
       * @example 3
       */
      max_concurrent_protocol_runs?: number;
      /**
       * @description True: the optimizer of the protocol proposes dynamic parameters, run by run, over those given here. Default false.
       * @example false
       */
      optimize?: boolean;
      /**
       * Format: ipv4
       * @description Computer of the optimizer. Default 127.0.0.1.
       * @example 127.0.0.1
       */
      optimizer_ip?: string;
      /** @description Parameters of every run. */
      global_parameters?: {
        [key: string]: Record<string, unknown>;
      };
      /** @description Parameters run by run; they override the global ones. Exactly max_protocol_runs entries; with optimize at most so many, and an entry with all inputs of the optimizer is the trial of its run. */
      protocol_run_parameters?: {
        [key: string]: Record<string, unknown>;
      }[];
      /**
       * @description Task name to what is done about its failures, over what the protocol says.
       * @example {
       *       "mix_colors": {
       *         "timeout": 600,
       *         "on_failure": "ask"
       *       }
       *     }
       */
      failure_policy?: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /**
       * @description True: a campaign of this name that failed or was cancelled goes on where it stopped, with what it was submitted with; completed tasks are kept. Default false.
       * @example false
       */
      resume?: boolean;
      /**
       * @description When a run has failed: `stop` fails the campaign, `continue` goes on with the next run, `pause` waits for a person. Default stop.
       * @example continue
       * @enum {string}
       */
      on_run_failure?: 'stop' | 'continue' | 'pause';
      /**
       * @description The campaign fails when more runs than this have failed. Default: no limit.
       * @example 3
       */
      max_failures?: number;
      /** @description Free object. `optimizer_overrides` is laid over the arguments and runtime parameters of the optimizer; given again when a campaign is resumed, it wins over what was set before. */
      meta?: Record<string, unknown>;
    };
    TaskSubmission: {
      /**
       * @description Unique among queued and running on-demand tasks.
       * @example rinse_1
       */
      name: string;
      /**
       * @description Type name of the task.
       * @example clean_beaker
       */
      type: string;
      /**
       * @description Label of who the work belongs to. Default empty.
       * @example ada
       */
      owner?: string;
      /**
       * @description Device handle of the task to the device it shall use.
       * @example {
       *       "cleaner": {
       *         "lab_name": "color_lab",
       *         "name": "cleaning_station"
       *       }
       *     }
       */
      devices?: {
        [key: string]: components['schemas']['DeviceReference'];
      };
      /** @description Parameter name to value. */
      input_parameters?: {
        [key: string]: unknown;
      };
      /**
       * @description Resource handle of the task to the name of the resource it shall use.
       * @example {
       *       "beaker": "beaker_1"
       *     }
       */
      input_resources?: {
        [key: string]: string;
      };
      /**
       * @description Higher goes first when work contends. Default 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Seconds within which the task must start, else it is recorded as failed. Default 600.
       * @example 600
       */
      allocation_timeout?: number;
      /**
       * @description Seconds that one attempt may run; then it is stopped and has failed. Default: no limit.
       * @example 600
       */
      timeout?: number;
      /** @description Tries again after a failure, under the same condition as in a protocol. */
      retry?: components['schemas']['RetryPolicy'];
      /** @description Free object kept with the record. */
      meta?: Record<string, unknown>;
    };
    ResourceReset: {
      /**
       * @description Why, for the history of the resource and the audit.
       * @example washed by hand
       */
      reason?: string;
      /**
       * @description True: also while a task or a protocol run has the resource; then with a reason. Default false.
       * @example false
       */
      force?: boolean;
      /**
       * @description Who decides, for the audit. Default "unknown".
       * @example ada
       */
      by?: string;
    };
    TaskChange: {
      /**
       * @description Higher goes first when work contends; counts from the next decision of the scheduler. What runs is not interrupted.
       * @example 5
       */
      priority?: number;
      /**
       * @description Parameter name to value; those that are not named stay. Only of a task no attempt of which has begun, and in a protocol run only dynamic parameters.
       * @example {
       *       "duration": 3
       *     }
       */
      input_parameters?: {
        [key: string]: unknown;
      };
    };
    ProtocolRunChange: {
      /**
       * @description Higher goes first when work contends; counts from the next decision of the scheduler. What runs is not interrupted.
       * @example 5
       */
      priority?: number;
      /**
       * @description Task name to parameter name to value; those that are not named stay. Only of tasks no attempt of which has begun.
       * @example {
       *       "mix_colors": {
       *         "cyan_volume": 2.5
       *       }
       *     }
       */
      parameters?: {
        [key: string]: Record<string, unknown>;
      };
    };
    CampaignChange: {
      /**
       * @description Higher goes first when work contends; counts from the next decision of the scheduler. What runs is not interrupted.
       * @example 5
       */
      priority?: number;
      /**
       * @description Number of protocol runs in all; not less than have begun. 0: no limit, unless `protocol_run_parameters` lists them.
       * @example 20
       */
      max_protocol_runs?: number;
      /**
       * @description Cap on simultaneous protocol runs. Default 1.
       * @example 3
       */
      max_concurrent_protocol_runs?: number;
      /** @description Parameters of every run that has not begun: task name to parameter name to value; those that are not named stay. */
      global_parameters?: {
        [key: string]: Record<string, unknown>;
      };
      /** @description The whole list, run by run, in place of the one there is. The entries of runs that have begun must be what they were, and an optimizer must take the others. */
      protocol_run_parameters?: {
        [key: string]: Record<string, unknown>;
      }[];
    };
    DeviceReference: {
      /** @example color_lab */
      lab_name: string;
      /** @example station_1 */
      name: string;
    };
    TaskFailurePolicy: {
      /**
       * @description Seconds that one attempt may run; then it is stopped and has failed. Default: no limit.
       * @example 600
       */
      timeout?: number;
      /** @description Tries again after a failure; only where every device call made was a query or idempotent, or the task type declares `retry_safe: true`. Default: no retry. */
      retry?: components['schemas']['RetryPolicy'];
      /**
       * @description When it has failed for good: `fail_run` fails the run, `skip` goes on with what does not depend on it, `ask` asks a person. Default fail_run.
       * @example ask
       * @enum {string}
       */
      on_failure?: 'fail_run' | 'skip' | 'ask';
    };
    RetryPolicy: {
      /**
       * @description Attempts in all, the first included.
       * @example 3
       */
      attempts: number;
      /**
       * @description Seconds before the second attempt; doubled for each further one. Default 1.
       * @example 5
       */
      backoff?: number;
    };
    LabSelection: {
      /**
       * @description Names of laboratories.
       * @example [
       *       "color_lab"
       *     ]
       */
      lab_types: string[];
      /**
       * @description Instead of refusing while work goes on: accept nothing new, and do it when that work has ended. Default false.
       * @example false
       */
      drain?: boolean;
    };
    ProtocolSelection: {
      /**
       * @description Type names of protocols.
       * @example [
       *       "color_mixing"
       *     ]
       */
      protocol_types: string[];
      /**
       * @description Unload although runs or campaigns of it go on: they keep the definition they were accepted with. Default false.
       * @example false
       */
      drain?: boolean;
    };
    TaskTypeSelection: {
      /**
       * @description Names of task types.
       * @example [
       *       "mix_colors"
       *     ]
       */
      task_types: string[];
    };
    ProtocolText: {
      /**
       * @description Text of an `experiment.yml`, templates included.
       * @example type: demo
       *     desc: One task
       *     labs: [color_lab]
       *     tasks: []
       */
      protocol_yaml: string;
      /**
       * @description Name of the file in the errors.
       * @example experiment.yml
       */
      file_name?: string;
    };
    AttentionResolution: {
      /**
       * @description What is decided.
       * @example completed
       * @enum {string}
       */
      action: 'completed' | 'failed' | 'retry' | 'idle' | 'lost';
      /**
       * @description Who decides, for the audit. Default "unknown".
       * @example ada
       */
      by?: string;
      /**
       * @description Why, for the audit.
       * @example looked at the beaker: the dose is in
       */
      note?: string;
      /** @description Of a completed task: its output parameters, checked against its task type. */
      output_parameters?: {
        [key: string]: unknown;
      };
      /** @description Of a completed task: what it left in its resources; one left out is as the task got it. */
      output_resources?: {
        [key: string]: Record<string, unknown>;
      };
    };
    EmergencyStopRequest: {
      /**
       * @description Laboratory to stop. Left out: all.
       * @example color_lab
       */
      lab_name?: string;
      /**
       * @description Device of that laboratory. Left out: all of it.
       * @example robot_arm
       */
      device_name?: string;
      /**
       * @description Why, shown wherever work is refused.
       * @example spill on the bench
       */
      reason?: string;
      /**
       * @description Who decides, for the audit. Default "unknown".
       * @example ada
       */
      by?: string;
    };
    EmergencyStopRelease: {
      /** @description Which stop. Left out: every stop in force. */
      id?: string;
      /**
       * @description Who decides, for the audit. Default "unknown".
       * @example ada
       */
      by?: string;
    };
    OperatorNote: {
      /**
       * @description Who decides, for the audit. Default "unknown".
       * @example ada
       */
      by?: string;
    };
    InsightSubmission: {
      /**
       * @description What the AI is to know; it waits until a suggestion that was given it succeeds.
       * @example Yellow stains the beaker: stay below 12.
       */
      insight: string;
      /**
       * @description Who decides, for the audit. Default "unknown".
       * @example ada
       */
      by?: string;
    };
    SimulationScenario: {
      /**
       * @description Names of laboratories. Default: all that are loaded.
       * @example [
       *       "color_lab"
       *     ]
       */
      labs?: string[];
      scheduler?: components['schemas']['SimulatedScheduler'];
      /**
       * @description Tasks take up to this share longer or shorter than expected, from 0 to 0.99. Default 0.
       * @example 0.1
       */
      jitter?: number;
      /**
       * @description Chance of durations and failures. The same task has the same luck under every policy. Default 1.
       * @example 42
       */
      seed?: number;
      /** @description Seconds after which the simulation ends. Default 2592000: 30 days. */
      horizon?: number;
      /** @description Protocol runs. */
      protocols?: components['schemas']['SimulatedRuns'][];
      /** @description Campaigns. */
      campaigns?: components['schemas']['SimulatedCampaign'][];
      /** @description On-demand tasks. */
      tasks?: components['schemas']['SimulatedTasks'][];
      /**
       * @description Seconds that tasks really take, in place of what is expected of them: by task type, `<protocol>.<task>` or the label `<protocol run>/<task>`; the most exact one counts.
       * @example {
       *       "mix_colors": 45,
       *       "color_mixing.mix_colors": 50
       *     }
       */
      durations?: {
        [key: string]: number;
      };
      /** @description Attempts that fail. */
      failures?: components['schemas']['SimulatedFailure'][];
      /** @description Devices that are out of order for a while. */
      losses?: components['schemas']['SimulatedLoss'][];
    };
    SimulatedScheduler: {
      /**
       * @description Policy. Default greedy.
       * @example cpsat
       * @enum {string}
       */
      type?: 'greedy' | 'cpsat';
      /**
       * @description Chance of the searches of `cpsat`. Default 1.
       * @example 1
       */
      seed?: number;
      /**
       * @description Seconds of one tick of `cpsat`. Default 0.1.
       * @example 0.1
       */
      resolution?: number;
      /**
       * @description Seconds within which `cpsat` moves no start any more. Default 30.
       * @example 30
       */
      frozen_window?: number;
      /**
       * @description Rounds of one search of `cpsat`, in place of a limit of time, so that the same seed gives the same report. Default: by the size of the plan.
       * @example 200
       */
      rounds?: number;
    };
    SimulatedRuns: {
      /**
       * @description Type name of the protocol.
       * @example color_mixing
       */
      type: string;
      /**
       * @description How many runs. Default 1.
       * @example 20
       */
      iterations?: number;
      /**
       * @description Runs of these under way at a time. Default: no limit.
       * @example 4
       */
      max_concurrent?: number;
      /**
       * @description Higher goes first when work contends. Default 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Seconds from the beginning at which the first one arrives. Default 0.
       * @example 0
       */
      at?: number;
      /**
       * @description Seconds from one arrival to the next. Default 0: all arrive at once.
       * @example 60
       */
      every?: number;
      /** @description As in a submission; a dynamic parameter that is left out gets a value that fits it. */
      parameters?: {
        [key: string]: Record<string, unknown>;
      };
    };
    SimulatedCampaign: {
      /**
       * @description Type name of the protocol to run.
       * @example color_mixing
       */
      protocol: string;
      /**
       * @description Number of protocol runs.
       * @example 12
       */
      max_protocol_runs: number;
      /**
       * @description Cap on simultaneous protocol runs. Default 1.
       * @example 3
       */
      max_concurrent_protocol_runs?: number;
      /**
       * @description Higher goes first when work contends. Default 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Seconds from the beginning at which it arrives. Default 0.
       * @example 0
       */
      at?: number;
      /** @description Parameters of every run; one that is left out gets a value that fits it. */
      global_parameters?: {
        [key: string]: Record<string, unknown>;
      };
    };
    SimulatedTasks: {
      /**
       * @description Type name of the task.
       * @example clean_container
       */
      type: string;
      /**
       * @description How many. Default 1.
       * @example 3
       */
      count?: number;
      /**
       * @description Seconds from the beginning at which the first one arrives. Default 0.
       * @example 0
       */
      at?: number;
      /**
       * @description Seconds from one arrival to the next. Default 0: all arrive at once.
       * @example 600
       */
      every?: number;
      /**
       * @description Seconds that one takes. Default 1.
       * @example 30
       */
      duration?: number;
      /**
       * @description Higher goes first when work contends. Default 0.
       * @example 5
       */
      priority?: number;
      /**
       * @description Device handle of the task to the device it shall use.
       * @example {
       *       "cleaner": {
       *         "lab_name": "color_lab",
       *         "name": "cleaning_station"
       *       }
       *     }
       */
      devices?: {
        [key: string]: components['schemas']['DeviceReference'];
      };
      /**
       * @description Resource handle of the task to the name of the resource it shall use.
       * @example {
       *       "beaker": "beaker_1"
       *     }
       */
      input_resources?: {
        [key: string]: string;
      };
      /** @description Parameter name to value; a parameter that is left out gets a value that fits it. */
      input_parameters?: {
        [key: string]: unknown;
      };
      /** @description Seconds within which one must start, as in a submission. Default 600. */
      allocation_timeout?: number;
    };
    SimulatedFailure: {
      /**
       * @description Task type, `<protocol>.<task>`, or the label of one task: `<protocol run>/<task>`.
       * @example mix_colors
       */
      task: string;
      /**
       * @description Chance of each attempt to fail, from 0 to 1.
       * @example 0.05
       */
      probability: number;
      /**
       * @description Whether a failed attempt has moved anything by then: then it is repeated only where that is safe. Default true.
       * @example false
       */
      effects?: boolean;
    };
    SimulatedLoss: {
      /**
       * @description `<laboratory>.<device>`
       * @example color_lab.station_1
       */
      device: string;
      /**
       * @description Seconds from the beginning.
       * @example 60
       */
      at: number;
      /**
       * @description Seconds until it can be used again. Default: for good.
       * @example 120
       */
      for?: number;
    };
    GrantSubmission: {
      /**
       * @description What may be done; each role includes those before it.
       * @enum {string}
       */
      role: 'viewer' | 'submitter' | 'operator' | 'lab_admin' | 'admin';
      /**
       * @description The one lab it is for. Left out: all labs.
       * @example color_lab
       */
      lab?: string;
    };
    TokenSubmission: {
      /**
       * @description Who shows it: owner of what is submitted with it, and name in the audit.
       * @example ada
       */
      name: string;
      /**
       * @description Of a person, or of a program. Default personal.
       * @enum {string}
       */
      kind?: 'personal' | 'service';
      /** @description What it may do. */
      grants: components['schemas']['GrantSubmission'][];
      /**
       * @description What it is for.
       * @example notebook on the bench
       */
      note?: string;
      /**
       * @description Days until it expires. A personal token: default 90, at most 366. One of a service: default never.
       * @example 30
       */
      expires_in_days?: number;
    };
    SecretRotation: {
      /**
       * @description For how many seconds the secret that there was signs beside the new one. Default 86400, a day; 0: not at all.
       * @example 3600
       */
      overlap_s?: number;
    };
    WebhookChange: {
      /**
       * @description Where events are sent: over TLS, to a machine on the public internet or one that the configuration allows.
       * @example https://receiver.example.org/lab
       */
      url?: string;
      /**
       * @description What it is for.
       * @example chat of the group
       */
      description?: string;
      /** @description Which events it gets; left out: all. */
      filters?: components['schemas']['WebhookFilters'];
      /** @description Whether anything is sent. */
      enabled?: boolean;
    };
    WebhookFilters: {
      /**
       * @description Types or kinds of events, with commas between.
       * @example task_run.completed,attention
       */
      type?: string;
      /**
       * @description Only events of this record, as `<kind>/<id>`.
       * @example device/color_lab.robot_arm
       */
      aggregate?: string;
      /**
       * @description Only events of work of this owner.
       * @example ada
       */
      owner?: string;
      /**
       * @description Only events of this campaign, its runs, their tasks, attempts and trials.
       * @example sweep
       */
      campaign?: string;
      /**
       * @description Only events of this protocol run, its tasks and their attempts.
       * @example mix_1
       */
      protocol_run?: string;
      /**
       * @description Only events of this laboratory.
       * @example color_lab
       */
      lab?: string;
    };
    WebhookReplay: {
      /**
       * @description Id of the event behind which it goes on; 0: at the oldest, if none was removed yet.
       * @example 1841
       */
      from: number;
    };
    WebhookSubmission: {
      /**
       * @description Where events are sent: over TLS, to a machine on the public internet or one that the configuration allows.
       * @example https://receiver.example.org/lab
       */
      url: string;
      /**
       * @description What it is for.
       * @example chat of the group
       */
      description?: string;
      /** @description Which events it gets; left out: all. */
      filters?: components['schemas']['WebhookFilters'];
      /** @description Whether anything is sent. */
      enabled?: boolean;
      /**
       * @description Id of the event behind which it begins, as `after` of `GET /api/events`; 0: at the oldest. Left out: from now on.
       * @example 1841
       */
      from?: number;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type Reason = components['schemas']['Reason'];
export type FileRecord = components['schemas']['FileRecord'];
export type InputFileRecord = components['schemas']['InputFileRecord'];
export type ResourceValue = components['schemas']['ResourceValue'];
export type TaskRunRecord = components['schemas']['TaskRunRecord'];
export type ProtocolRunSummary = components['schemas']['ProtocolRunSummary'];
export type ProtocolRunRecord = components['schemas']['ProtocolRunRecord'];
export type CampaignSummary = components['schemas']['CampaignSummary'];
export type CampaignRecord = components['schemas']['CampaignRecord'];
export type TaskFileRecord = components['schemas']['TaskFileRecord'];
export type ResourceRecord = components['schemas']['ResourceRecord'];
export type ResourceUse = components['schemas']['ResourceUse'];
export type AuditRecord = components['schemas']['AuditRecord'];
export type DeviceRecord = components['schemas']['DeviceRecord'];
export type DeviceDetail = components['schemas']['DeviceDetail'];
export type Problem = components['schemas']['Problem'];
export type ServiceEvent = components['schemas']['ServiceEvent'];
export type EventPage = components['schemas']['EventPage'];
export type LogLine = components['schemas']['LogLine'];
export type AgentRecord = components['schemas']['AgentRecord'];
export type AttemptRecord = components['schemas']['AttemptRecord'];
export type AttentionRecord = components['schemas']['AttentionRecord'];
export type EmergencyStopRecord = components['schemas']['EmergencyStopRecord'];
export type SettingField = components['schemas']['SettingField'];
export type Trial = components['schemas']['Trial'];
export type InsightRecord = components['schemas']['InsightRecord'];
export type KeptOptimizer = components['schemas']['KeptOptimizer'];
export type OptimizerDescription = components['schemas']['OptimizerDescription'];
export type OptimizerRecord = components['schemas']['OptimizerRecord'];
export type RuntimeParameters = components['schemas']['RuntimeParameters'];
export type QueueRecord = components['schemas']['QueueRecord'];
export type QueuePage = components['schemas']['QueuePage'];
export type QueuedTask = components['schemas']['QueuedTask'];
export type ScheduleRecord = components['schemas']['ScheduleRecord'];
export type PlanRecord = components['schemas']['PlanRecord'];
export type ScheduledTask = components['schemas']['ScheduledTask'];
export type WaitCause = components['schemas']['WaitCause'];
export type ScheduledUnit = components['schemas']['ScheduledUnit'];
export type ScheduledRun = components['schemas']['ScheduledRun'];
export type ScheduledCampaign = components['schemas']['ScheduledCampaign'];
export type HealthReport = components['schemas']['HealthReport'];
export type WaitingTimes = components['schemas']['WaitingTimes'];
export type SimulatedTaskRecord = components['schemas']['SimulatedTaskRecord'];
export type SimulatedRunRecord = components['schemas']['SimulatedRunRecord'];
export type SimulatedUnitRecord = components['schemas']['SimulatedUnitRecord'];
export type SimulationRecord = components['schemas']['SimulationRecord'];
export type WhatIfRecord = components['schemas']['WhatIfRecord'];
export type SubmissionEstimate = components['schemas']['SubmissionEstimate'];
export type Fault = components['schemas']['Fault'];
export type LabRecord = components['schemas']['LabRecord'];
export type LabChange = components['schemas']['LabChange'];
export type LoadedDevice = components['schemas']['LoadedDevice'];
export type ProtocolChange = components['schemas']['ProtocolChange'];
export type TaskTypeChange = components['schemas']['TaskTypeChange'];
export type DefinitionSummary = components['schemas']['DefinitionSummary'];
export type DefinitionRecord = components['schemas']['DefinitionRecord'];
export type PackageRecord = components['schemas']['PackageRecord'];
export type Validation = components['schemas']['Validation'];
export type Grant = components['schemas']['Grant'];
export type Principal = components['schemas']['Principal'];
export type TokenRecord = components['schemas']['TokenRecord'];
export type NewTokenRecord = components['schemas']['NewTokenRecord'];
export type TokenPage = components['schemas']['TokenPage'];
export type AuditVerification = components['schemas']['AuditVerification'];
export type WebhookRecord = components['schemas']['WebhookRecord'];
export type NewWebhookRecord = components['schemas']['NewWebhookRecord'];
export type DeliveryRecord = components['schemas']['DeliveryRecord'];
export type ProtocolRunSubmission = components['schemas']['ProtocolRunSubmission'];
export type CampaignResumption = components['schemas']['CampaignResumption'];
export type CampaignSubmission = components['schemas']['CampaignSubmission'];
export type TaskSubmission = components['schemas']['TaskSubmission'];
export type ResourceReset = components['schemas']['ResourceReset'];
export type TaskChange = components['schemas']['TaskChange'];
export type ProtocolRunChange = components['schemas']['ProtocolRunChange'];
export type CampaignChange = components['schemas']['CampaignChange'];
export type DeviceReference = components['schemas']['DeviceReference'];
export type TaskFailurePolicy = components['schemas']['TaskFailurePolicy'];
export type RetryPolicy = components['schemas']['RetryPolicy'];
export type LabSelection = components['schemas']['LabSelection'];
export type ProtocolSelection = components['schemas']['ProtocolSelection'];
export type TaskTypeSelection = components['schemas']['TaskTypeSelection'];
export type ProtocolText = components['schemas']['ProtocolText'];
export type AttentionResolution = components['schemas']['AttentionResolution'];
export type EmergencyStopRequest = components['schemas']['EmergencyStopRequest'];
export type EmergencyStopRelease = components['schemas']['EmergencyStopRelease'];
export type OperatorNote = components['schemas']['OperatorNote'];
export type InsightSubmission = components['schemas']['InsightSubmission'];
export type SimulationScenario = components['schemas']['SimulationScenario'];
export type SimulatedScheduler = components['schemas']['SimulatedScheduler'];
export type SimulatedRuns = components['schemas']['SimulatedRuns'];
export type SimulatedCampaign = components['schemas']['SimulatedCampaign'];
export type SimulatedTasks = components['schemas']['SimulatedTasks'];
export type SimulatedFailure = components['schemas']['SimulatedFailure'];
export type SimulatedLoss = components['schemas']['SimulatedLoss'];
export type GrantSubmission = components['schemas']['GrantSubmission'];
export type TokenSubmission = components['schemas']['TokenSubmission'];
export type SecretRotation = components['schemas']['SecretRotation'];
export type WebhookChange = components['schemas']['WebhookChange'];
export type WebhookFilters = components['schemas']['WebhookFilters'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type WebhookSubmission = components['schemas']['WebhookSubmission'];
export type $defs = Record<string, never>;
export interface operations {
  get_labs: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only laboratories of this package. */
        package?: string;
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'name' | '-name' | 'state' | '-state' | 'package' | '-package';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LabRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_labs_by_lab_id: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the laboratory. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_lab
         */
        lab_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The laboratory. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LabRecord'];
        };
      };
    };
  };
  post_labs_load: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LabSelection'];
      };
    };
    responses: {
      /** @description They are loaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LabChange'][];
        };
      };
    };
  };
  post_labs_unload: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LabSelection'];
      };
    };
    responses: {
      /** @description They are unloaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LabChange'][];
        };
      };
      /** @description Of some it is still to come, when their work has ended. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LabChange'][];
        };
      };
    };
  };
  post_labs_reload: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LabSelection'];
      };
    };
    responses: {
      /** @description They are reloaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LabChange'][];
        };
      };
      /** @description Of some it is still to come, when their work has ended. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LabChange'][];
        };
      };
    };
  };
  post_protocols_load: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProtocolSelection'];
      };
    };
    responses: {
      /** @description They are loaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolChange'][];
        };
      };
    };
  };
  post_protocols_unload: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProtocolSelection'];
      };
    };
    responses: {
      /** @description They are unloaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolChange'][];
        };
      };
    };
  };
  post_protocols_reload: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProtocolSelection'];
      };
    };
    responses: {
      /** @description They are reloaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolChange'][];
        };
      };
    };
  };
  post_protocols_validate: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProtocolText'];
      };
    };
    responses: {
      /** @description What was found. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Validation'];
        };
      };
    };
  };
  post_tasks_reload: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TaskTypeSelection'];
      };
    };
    responses: {
      /** @description They are reloaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TaskTypeChange'][];
        };
      };
    };
  };
  get_packages: {
    parameters: {
      query?: {
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'name' | '-name';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['PackageRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_packages_by_package_name: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the package. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_lab
         */
        package_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The package. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackageRecord'];
        };
      };
    };
  };
  post_packages_refresh: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackageRecord'][];
        };
      };
    };
  };
  get_definitions: {
    parameters: {
      query?: {
        /** @description Only definitions of this type. Several with commas between. */
        type?: string;
        /** @description Only definitions of this package. */
        package?: string;
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'type' | '-type' | 'name' | '-name' | 'package' | '-package';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By type and name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['DefinitionSummary'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_definitions_by_type_by_name: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description One of lab, device, task, protocol. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example task
         */
        type: string;
        /**
         * @description Name of the definition. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_colors
         */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The loaded version, and what is wrong with the files. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DefinitionRecord'];
        };
      };
    };
  };
  post_simulations: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SimulationScenario'];
      };
    };
    responses: {
      /** @description What would happen. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SimulationRecord'];
        };
      };
    };
  };
  post_protocols_simulate: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProtocolRunSubmission'];
      };
    };
    responses: {
      /** @description When its tasks would start and end, and whom it would delay. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WhatIfRecord'];
        };
      };
    };
  };
  get_protocols: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only runs of this protocol. */
        type?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only runs whose protocol names this laboratory. */
        lab?: string;
        /** @description Only what was created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was created before this moment (ISO 8601). */
        until?: string;
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Whether to list what is not archived, only what is, or all of it. */
        archived?: 'false' | 'true' | 'all';
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?:
          | 'created_at'
          | '-created_at'
          | 'name'
          | '-name'
          | 'owner'
          | '-owner'
          | 'priority'
          | '-priority'
          | 'state'
          | '-state'
          | 'type'
          | '-type';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Without their tasks. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ProtocolRunSummary'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_protocols: {
    parameters: {
      query?: {
        /** @description True: it is checked as if it was meant, and played through; nothing is stored, and `Idempotency-Key` is passed over. */
        dry_run?: boolean;
      };
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProtocolRunSubmission'];
      };
    };
    responses: {
      /** @description With `dry_run=true`: it would be accepted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            valid: true;
            /** @constant */
            dry_run: true;
            /** @description The submission with everything that it leaves out; secrets are hidden. Of one that resumes something: as it was given. */
            resolved: components['schemas']['ProtocolRunSubmission'];
            estimate: components['schemas']['SubmissionEstimate'];
            /** @description What stands in its way, but is no reason to refuse it. */
            warnings: string[];
          };
        };
      };
      /** @description Accepted. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolRunRecord'];
        };
      };
    };
  };
  post_protocols_by_protocol_run_name_cancel: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It will end. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolRunRecord'];
        };
      };
    };
  };
  post_protocols_by_protocol_run_name_pause: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It is paused. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolRunRecord'];
        };
      };
    };
  };
  post_protocols_by_protocol_run_name_resume: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It goes on. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolRunRecord'];
        };
      };
    };
  };
  get_protocols_by_protocol_run_name: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The run and its tasks. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolRunRecord'];
        };
      };
    };
  };
  patch_protocols_by_protocol_run_name: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ProtocolRunChange'];
      };
    };
    responses: {
      /** @description The run as it is. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolRunRecord'];
        };
      };
    };
  };
  get_campaigns: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only campaigns of this protocol. */
        protocol?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only campaigns whose protocol names this laboratory. */
        lab?: string;
        /** @description Only what was created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was created before this moment (ISO 8601). */
        until?: string;
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Whether to list what is not archived, only what is, or all of it. */
        archived?: 'false' | 'true' | 'all';
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?:
          | 'created_at'
          | '-created_at'
          | 'name'
          | '-name'
          | 'owner'
          | '-owner'
          | 'priority'
          | '-priority'
          | 'state'
          | '-state'
          | 'protocol'
          | '-protocol';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Without their runs. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['CampaignSummary'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_campaigns: {
    parameters: {
      query?: {
        /** @description True: it is checked as if it was meant, and played through; nothing is stored, and `Idempotency-Key` is passed over. */
        dry_run?: boolean;
      };
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CampaignSubmission'];
      };
    };
    responses: {
      /** @description With `dry_run=true`: it would be accepted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            valid: true;
            /** @constant */
            dry_run: true;
            /** @description The submission with everything that it leaves out; secrets are hidden. Of one that resumes something: as it was given. */
            resolved: components['schemas']['CampaignSubmission'];
            estimate: components['schemas']['SubmissionEstimate'];
            /** @description What stands in its way, but is no reason to refuse it. */
            warnings: string[];
          };
        };
      };
      /** @description Accepted. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CampaignRecord'];
        };
      };
    };
  };
  post_campaigns_by_campaign_name_cancel: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It will end. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CampaignRecord'];
        };
      };
    };
  };
  post_campaigns_by_campaign_name_pause: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It is paused. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CampaignRecord'];
        };
      };
    };
  };
  post_campaigns_by_campaign_name_resume: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['CampaignResumption'];
      };
    };
    responses: {
      /** @description It goes on. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CampaignRecord'];
        };
      };
    };
  };
  get_campaigns_by_campaign_name: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The campaign. Its runs are a list of their own. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CampaignRecord'];
        };
      };
    };
  };
  patch_campaigns_by_campaign_name: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CampaignChange'];
      };
    };
    responses: {
      /** @description The campaign as it is. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CampaignRecord'];
        };
      };
    };
  };
  get_campaigns_by_campaign_name_runs: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only what was created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was created before this moment (ISO 8601). */
        until?: string;
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?:
          | 'created_at'
          | '-created_at'
          | 'name'
          | '-name'
          | 'owner'
          | '-owner'
          | 'priority'
          | '-priority'
          | 'state'
          | '-state';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order of their creation, without their tasks. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ProtocolRunSummary'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  put_campaigns_by_campaign_name_optimizer_params: {
    parameters: {
      query?: {
        /** @description Who does it, for the audit. */
        by?: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example find_teal
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RuntimeParameters'];
      };
    };
    responses: {
      /** @description All runtime parameters as they are now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RuntimeParameters'];
        };
      };
    };
  };
  post_campaigns_by_campaign_name_optimizer_insight: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example find_teal
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['InsightSubmission'];
      };
    };
    responses: {
      /** @description It is queued. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InsightRecord'];
        };
      };
    };
  };
  get_campaigns_by_campaign_name_optimizer: {
    parameters: {
      query?: {
        /** @description True: its model is asked what it has learnt, which may take seconds. */
        explain?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example find_teal
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The optimizer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OptimizerRecord'];
        };
      };
    };
  };
  get_campaigns_by_campaign_name_trials: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only trials from this source. Several with commas between. */
        source?: string;
        /** @description Only trials after the one of this number. */
        after?: number;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'number' | '-number';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example find_teal
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By number. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Trial'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_protocols_by_protocol_type_optimizer_defaults: {
    parameters: {
      query?: {
        /** @description Computer whose optimizer worker is asked. Default 127.0.0.1. */
        optimizer_ip?: string;
      };
      header?: never;
      path: {
        /**
         * @description Type name of the protocol. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_mixing
         */
        protocol_type: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The optimizer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OptimizerDescription'];
        };
      };
    };
  };
  'get_campaigns_by_campaign_name_runs.csv': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description UTF-8 with a header, as RFC 4180 has it. What breaks off has no end of its transfer encoding. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/csv': string;
        };
      };
    };
  };
  'get_campaigns_by_campaign_name_parameters.csv': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description UTF-8 with a header, as RFC 4180 has it. What breaks off has no end of its transfer encoding. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/csv': string;
        };
      };
    };
  };
  post_protocols_by_protocol_parameters: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Type name of a loaded protocol. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_mixing
         */
        protocol: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'text/csv': string;
      };
    };
    responses: {
      /** @description The rows. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description An entry for each row, as the submission of a campaign takes them. */
            protocol_run_parameters: {
              [key: string]: {
                [key: string]: unknown;
              };
            }[];
          };
        };
      };
    };
  };
  get_tasks: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only tasks of this type. */
        type?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only tasks of this laboratory: of runs whose protocol names it, and those that got a device or resource of it. */
        lab?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only what was created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was created before this moment (ISO 8601). */
        until?: string;
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Whether to list what is not archived, only what is, or all of it. */
        archived?: 'false' | 'true' | 'all';
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?:
          | 'created_at'
          | '-created_at'
          | 'name'
          | '-name'
          | 'owner'
          | '-owner'
          | 'priority'
          | '-priority'
          | 'state'
          | '-state'
          | 'type'
          | '-type';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['TaskRunRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_tasks: {
    parameters: {
      query?: {
        /** @description True: it is checked as if it was meant, and played through; nothing is stored, and `Idempotency-Key` is passed over. */
        dry_run?: boolean;
      };
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TaskSubmission'];
      };
    };
    responses: {
      /** @description With `dry_run=true`: it would be accepted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            valid: true;
            /** @constant */
            dry_run: true;
            /** @description The submission with everything that it leaves out; secrets are hidden. Of one that resumes something: as it was given. */
            resolved: components['schemas']['TaskSubmission'];
            estimate: components['schemas']['SubmissionEstimate'];
            /** @description What stands in its way, but is no reason to refuse it. */
            warnings: string[];
          };
        };
      };
      /** @description Accepted. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TaskRunRecord'];
        };
      };
    };
  };
  post_tasks_by_task_name_cancel: {
    parameters: {
      query?: {
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It will end. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TaskRunRecord'];
        };
      };
    };
  };
  get_tasks_by_task_name_attempts: {
    parameters: {
      query?: {
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'number' | '-number';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By number, from 1. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['AttemptRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_tasks_by_task_name: {
    parameters: {
      query?: {
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The task. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TaskRunRecord'];
        };
      };
    };
  };
  patch_tasks_by_task_name: {
    parameters: {
      query?: {
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TaskChange'];
      };
    };
    responses: {
      /** @description The task as it is. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TaskRunRecord'];
        };
      };
    };
  };
  'get_task-runs_by_id': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Id of the task run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 0190c0de-0000-7000-8000-00000000000a
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The task. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TaskRunRecord'];
        };
      };
    };
  };
  get_attempts: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only attempts at tasks of this name. */
        task?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only what was created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was created before this moment (ISO 8601). */
        until?: string;
        /** @description Whether to list what is not archived, only what is, or all of it. */
        archived?: 'false' | 'true' | 'all';
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'created_at' | '-created_at' | 'state' | '-state' | 'computer' | '-computer';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['AttemptRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_attempts_by_id: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Id of the attempt. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 0190c0de-0000-7000-8000-00000000000a
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The attempt. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AttemptRecord'];
        };
      };
    };
  };
  get_files: {
    parameters: {
      query?: {
        /** @description Only files of tasks of this name. */
        task?: string;
        /** @description Only files of tasks of this type. */
        type?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only what was created, by its task, at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was created, by its task, before this moment (ISO 8601). */
        until?: string;
        /** @description Only files whose name has this text in it. */
        text?: string;
        /** @description Whether to list what is not archived, only what is, or all of it. */
        archived?: 'false' | 'true' | 'all';
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'created_at' | '-created_at';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Those of the newest tasks first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['TaskFileRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_audit: {
    parameters: {
      query?: {
        /** @description Only acts of this person. */
        by?: string;
        /** @description Only acts of this kind, for example `queue.pause`. */
        action?: string;
        /** @description Only acts on this, for example `campaign/sweep`. */
        subject?: string;
        /** @description Only what was done at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was done before this moment (ISO 8601). */
        until?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'seq' | '-seq' | 'at' | '-at';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['AuditRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_audit_by_id: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Id of the entry. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 0190c0de-0000-7000-8000-00000000000a
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entry. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditRecord'];
        };
      };
    };
  };
  get_resources: {
    parameters: {
      query?: {
        /** @description Only resources of this type. */
        type?: string;
        /** @description Only resources of this laboratory. */
        lab?: string;
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'name' | '-name' | 'type' | '-type' | 'lab' | '-lab';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ResourceRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_resources_by_resource_name: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the resource. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example beaker_1
         */
        resource_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it is, and who has it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResourceRecord'];
        };
      };
    };
  };
  post_resources_by_resource_name_reset: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the resource. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example beaker_1
         */
        resource_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['ResourceReset'];
      };
    };
    responses: {
      /** @description It is put back. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResourceRecord'];
        };
      };
    };
  };
  get_resources_by_resource_name_history: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only uses and resets from this moment (ISO 8601) on. */
        since?: string;
        /** @description Only uses and resets before this moment (ISO 8601). */
        until?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'started_at' | '-started_at';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the resource. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example beaker_1
         */
        resource_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The latest use first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ResourceUse'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_campaigns_by_campaign_name_archive: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It is archived. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CampaignRecord'];
        };
      };
    };
  };
  post_campaigns_by_campaign_name_restore: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It is restored. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CampaignRecord'];
        };
      };
    };
  };
  post_protocols_by_protocol_run_name_archive: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of a protocol run that belongs to no campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It is archived. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolRunRecord'];
        };
      };
    };
  };
  post_protocols_by_protocol_run_name_restore: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of a protocol run that belongs to no campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It is restored. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtocolRunRecord'];
        };
      };
    };
  };
  post_tasks_by_task_name_archive: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the on-demand task; the latest one of that name is meant. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example rinse_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It is archived. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TaskRunRecord'];
        };
      };
    };
  };
  post_tasks_by_task_name_restore: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the on-demand task; the latest one of that name is meant. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example rinse_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description It is restored. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TaskRunRecord'];
        };
      };
    };
  };
  get_tasks_by_task_name_clone: {
    parameters: {
      query?: {
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description To be posted to `/api/tasks`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            submission: components['schemas']['TaskSubmission'];
            /** @description Paths of secrets, which nobody can read and whoever submits it gives again, and of files of other tasks, which only a protocol gives. */
            left_out: string[];
          };
        };
      };
    };
  };
  get_protocols_by_protocol_run_name_clone: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description To be posted to `/api/protocols`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            submission: components['schemas']['ProtocolRunSubmission'];
            /** @description Paths of secrets, which nobody can read and whoever submits it gives again, and of files of other tasks, which only a protocol gives. */
            left_out: string[];
          };
        };
      };
    };
  };
  get_campaigns_by_campaign_name_clone: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description To be posted to `/api/campaigns`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            submission: components['schemas']['CampaignSubmission'];
            /** @description Paths of secrets, which nobody can read and whoever submits it gives again, and of files of other tasks, which only a protocol gives. */
            left_out: string[];
          };
        };
      };
    };
  };
  get_tasks_by_task_name_files_by_file_name: {
    parameters: {
      query?: {
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
      };
      header?: {
        /**
         * @description One range of bytes; several are answered with the whole.
         * @example bytes=1000-1999
         */
        Range?: string;
        /** @description `ETag` of what the client has a part of; another file is sent whole. */
        'If-Range'?: string;
      };
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example score_1
         */
        task_name: string;
        /**
         * @description Name of the file. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example image.png
         */
        file_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The bytes, as the task produced them. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description The part that was asked for. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
    };
  };
  'get_tasks_by_task_name_files.zip': {
    parameters: {
      query?: {
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The archive; an empty one when there are no files. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/zip': string;
        };
      };
    };
  };
  'get_protocols_by_protocol_run_name_files.zip': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The archive; an empty one when there are no files. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/zip': string;
        };
      };
    };
  };
  get_devices: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only devices of this type. */
        type?: string;
        /** @description Only devices of this laboratory. */
        lab?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only records whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?:
          | 'lab_name'
          | '-lab_name'
          | 'name'
          | '-name'
          | 'type'
          | '-type'
          | 'computer'
          | '-computer'
          | 'state'
          | '-state';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By laboratory and name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['DeviceRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_labs_by_lab_id_devices_by_device_id: {
    parameters: {
      query?: {
        /** @description Whether to ask the device for its report as well. */
        report?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description Name of the laboratory. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example station_1
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The device as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeviceDetail'];
        };
      };
    };
  };
  post_rpc_by_lab_id_by_device_id_by_function_name: {
    parameters: {
      query?: {
        /** @description Call it although a task has the device. */
        force?: boolean;
        /** @description Why, for the audit; needed to force. */
        reason?: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example station_1
         */
        device_id: string;
        /**
         * @description Name of a function that the device declares. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example status
         */
        function_name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description What the function returned; null when it returned nothing. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
    };
  };
  get_agents: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only agents of computers of this laboratory. */
        lab?: string;
        /** @description Only agents of computers whose name has this text in it, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'computer' | '-computer' | 'state' | '-state';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By computer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['AgentRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_agents_by_computer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the computer. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example bench_b
         */
        computer: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The agent as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AgentRecord'];
        };
      };
    };
  };
  get_attention: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only what is about this. Several with commas between. */
        kind?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what is about this device, as `<lab>.<device>`. */
        device?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only what was opened at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was opened before this moment (ISO 8601). */
        until?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'opened_at' | '-opened_at' | 'kind' | '-kind' | 'state' | '-state';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['AttentionRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_attention_by_id: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Id of the attention item. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 0190c0de-0000-7000-8000-00000000000b
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is known, and what may be decided. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AttentionRecord'];
        };
      };
    };
  };
  post_attention_by_id_resolve: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the attention item. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 0190c0de-0000-7000-8000-00000000000b
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AttentionResolution'];
      };
    };
    responses: {
      /** @description It is settled. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AttentionRecord'];
        };
      };
    };
  };
  get_estop: {
    parameters: {
      query?: {
        /** @description Whether to list those that are released as well. */
        all?: boolean;
        /** @description Only stops of this: `all`, `lab:<lab>` or `device:<lab>.<device>`. */
        scope?: string;
        /** @description Only stops by this person. */
        by?: string;
        /** @description Only what was engaged at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was engaged before this moment (ISO 8601). */
        until?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'engaged_at' | '-engaged_at' | 'scope' | '-scope';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Those in force, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['EmergencyStopRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_estop: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['EmergencyStopRequest'];
      };
    };
    responses: {
      /** @description The agents were told, and it is recorded. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmergencyStopRecord'];
        };
      };
    };
  };
  post_estop_release: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['EmergencyStopRelease'];
      };
    };
    responses: {
      /** @description Those that were released. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmergencyStopRecord'][];
        };
      };
    };
  };
  get_queue: {
    parameters: {
      query?: {
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only tasks that are planned on a device of this laboratory, or else may get one. */
        lab?: string;
        /** @description Only tasks that are planned on this device, as `<lab>.<device>`, or else may get it. */
        device?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'position' | '-position';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The queue, what is considered next first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['QueuePage'];
        };
      };
    };
  };
  post_queue_pause: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description The queue. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['QueueRecord'];
        };
      };
    };
  };
  post_queue_resume: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description The queue. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['QueueRecord'];
        };
      };
    };
  };
  get_schedule: {
    parameters: {
      query?: {
        /** @description Only this protocol run: its tasks, and the devices and resources they take. */
        run?: string;
        /** @description Only this device, as `<lab>.<device>`, and the tasks that take it. */
        device?: string;
        /** @description Only the devices of this laboratory, and the tasks that take them. */
        lab?: string;
        /** @description Tasks at most: those that run first, then those that start or wait first. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The schedule as it is at this moment. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ScheduleRecord'];
        };
      };
    };
  };
  get_me: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The caller. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Principal'];
        };
      };
    };
  };
  get_tokens: {
    parameters: {
      query?: {
        /** @description Tokens at most. */
        limit?: number;
        /** @description The `next_cursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TokenPage'];
        };
      };
    };
  };
  post_tokens: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TokenSubmission'];
      };
    };
    responses: {
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewTokenRecord'];
        };
      };
    };
  };
  delete_tokens_by_token_id: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the token, which is not the token itself. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 5f1c1f2e-6d0e-4a5c-9a54-0b4f5a4f7f10
         */
        token_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Revoked. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TokenRecord'];
        };
      };
    };
  };
  get_audit_verify: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What was found. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditVerification'];
        };
      };
    };
  };
  get_events: {
    parameters: {
      query?: {
        /** @description Id of the event behind which to begin; 0: at the oldest. Left out: from now on. */
        after?: number;
        /** @description Only events of these types, separated by commas, at most 20: `task_run.completed`, or `task_run` for all of that kind. */
        type?: string;
        /** @description Only events of this record, as `<kind>/<id>`. */
        aggregate?: string;
        /** @description Only events of work of this owner. */
        owner?: string;
        /** @description Only events of this campaign, its runs, their tasks, attempts and trials. */
        campaign?: string;
        /** @description Only events of this protocol run, its tasks and their attempts. */
        protocol_run?: string;
        /** @description Only events of this laboratory: of runs whose protocol names it, and of what has to do with its devices and resources. */
        lab?: string;
      };
      header?: {
        /** @description The same as `after`, and goes over it. */
        'Last-Event-ID'?: number;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events, as they come. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
    };
  };
  get_events_history: {
    parameters: {
      query: {
        /**
         * @description Which record, as `<kind>/<id>`.
         * @example task_run/0190c0de-0000-7000-8000-000000000001
         */
        aggregate: string;
        /** @description Events at most. */
        limit?: number;
        /** @description The `next_cursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Oldest first. A record that there never was has no events. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventPage'];
        };
      };
    };
  };
  get_logs: {
    parameters: {
      query?: {
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks of this name. */
        task?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices of this name. */
        device?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only lines from this source. Several with commas between. */
        source?: string;
        /** @description Only lines of this level or above. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only what was written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines with this text in them, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'id' | '-id' | 'at' | '-at';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order in which they were stored, the latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LogLine'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_logs_stream: {
    parameters: {
      query?: {
        /** @description Id of the line behind which to begin; 0: at the oldest. Left out: from now on. */
        after?: number;
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks of this name. */
        task?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices of this name. */
        device?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only lines from this source. Several with commas between. */
        source?: string;
        /** @description Only lines of this level or above. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only what was written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines with this text in them, in upper or lower case. */
        text?: string;
      };
      header?: {
        /** @description The same as `after`, and goes over it. */
        'Last-Event-ID'?: number;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines, as they come. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
    };
  };
  get_tasks_by_task_name_logs: {
    parameters: {
      query?: {
        /** @description Name of the protocol run of a task inside one. */
        protocol_run_name?: string;
        /** @description Only lines of tasks of this name. */
        task?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices of this name. */
        device?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only lines from this source. Several with commas between. */
        source?: string;
        /** @description Only lines of this level or above. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only what was written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines with this text in them, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'id' | '-id' | 'at' | '-at';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_colors
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order in which they were stored, the latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LogLine'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_tasks_by_task_name_logs_stream: {
    parameters: {
      query?: {
        /** @description Name of the protocol run of a task inside one. */
        protocol_run_name?: string;
        /** @description Id of the line behind which to begin; 0: at the oldest. Left out: from now on. */
        after?: number;
        /** @description Only lines of tasks of this name. */
        task?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices of this name. */
        device?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only lines from this source. Several with commas between. */
        source?: string;
        /** @description Only lines of this level or above. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only what was written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines with this text in them, in upper or lower case. */
        text?: string;
      };
      header?: {
        /** @description The same as `after`, and goes over it. */
        'Last-Event-ID'?: number;
      };
      path: {
        /**
         * @description Name of the task. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_colors
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines, as they come. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
    };
  };
  get_protocols_by_protocol_run_name_logs: {
    parameters: {
      query?: {
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks of this name. */
        task?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices of this name. */
        device?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only lines from this source. Several with commas between. */
        source?: string;
        /** @description Only lines of this level or above. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only what was written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines with this text in them, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'id' | '-id' | 'at' | '-at';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order in which they were stored, the latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LogLine'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_protocols_by_protocol_run_name_logs_stream: {
    parameters: {
      query?: {
        /** @description Id of the line behind which to begin; 0: at the oldest. Left out: from now on. */
        after?: number;
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks of this name. */
        task?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices of this name. */
        device?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only lines from this source. Several with commas between. */
        source?: string;
        /** @description Only lines of this level or above. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only what was written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines with this text in them, in upper or lower case. */
        text?: string;
      };
      header?: {
        /** @description The same as `after`, and goes over it. */
        'Last-Event-ID'?: number;
      };
      path: {
        /**
         * @description Name of the protocol run. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines, as they come. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
    };
  };
  get_labs_by_lab_id_devices_by_device_id_logs: {
    parameters: {
      query?: {
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks of this name. */
        task?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only lines from this source. Several with commas between. */
        source?: string;
        /** @description Only lines of this level or above. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only what was written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines with this text in them, in upper or lower case. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'id' | '-id' | 'at' | '-at';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the laboratory. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_mixer
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order in which they were stored, the latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LogLine'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_labs_by_lab_id_devices_by_device_id_logs_stream: {
    parameters: {
      query?: {
        /** @description Id of the line behind which to begin; 0: at the oldest. Left out: from now on. */
        after?: number;
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks of this name. */
        task?: string;
        /** @description Only what belongs to this protocol run. */
        protocol_run?: string;
        /** @description Only what belongs to this campaign. */
        campaign?: string;
        /** @description Only what is on this computer. */
        computer?: string;
        /** @description Only lines from this source. Several with commas between. */
        source?: string;
        /** @description Only lines of this level or above. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only what was written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines with this text in them, in upper or lower case. */
        text?: string;
      };
      header?: {
        /** @description The same as `after`, and goes over it. */
        'Last-Event-ID'?: number;
      };
      path: {
        /**
         * @description Name of the laboratory. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example color_mixer
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines, as they come. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
    };
  };
  get_webhooks: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only what was created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was created before this moment (ISO 8601). */
        until?: string;
        /** @description Only webhooks whose address has this text in it. */
        text?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'created_at' | '-created_at' | 'url' | '-url';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['WebhookRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_webhooks: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['WebhookSubmission'];
      };
    };
    responses: {
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewWebhookRecord'];
        };
      };
    };
  };
  get_webhooks_by_webhook_id: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Id of the webhook. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookRecord'];
        };
      };
    };
  };
  delete_webhooks_by_webhook_id: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Removed: as it was. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookRecord'];
        };
      };
    };
  };
  patch_webhooks_by_webhook_id: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['WebhookChange'];
      };
    };
    responses: {
      /** @description As it is after the change. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookRecord'];
        };
      };
    };
  };
  'post_webhooks_by_webhook_id_rotate-secret': {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['SecretRotation'];
      };
    };
    responses: {
      /** @description Changed. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewWebhookRecord'];
        };
      };
    };
  };
  post_webhooks_by_webhook_id_replay: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['WebhookReplay'];
      };
    };
    responses: {
      /** @description It goes on there. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookRecord'];
        };
      };
    };
  };
  post_webhooks_by_webhook_id_ping: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What came of it: `delivered`, or `given_up` with the reason. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeliveryRecord'];
        };
      };
    };
  };
  get_webhooks_by_webhook_id_deliveries: {
    parameters: {
      query?: {
        /** @description Only records in this state. Several with commas between. */
        state?: string;
        /** @description Only events of this type, for example `task_run.completed`. */
        type?: string;
        /** @description Only events of this record, as `<kind>/<id>`. */
        aggregate?: string;
        /** @description Only what was created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only what was created before this moment (ISO 8601). */
        until?: string;
        /** @description Field that the list is sorted by; `-` before it for descending. */
        sort?: 'created_at' | '-created_at';
        /** @description Records at most. */
        limit?: number;
        /** @description `next_cursor` of the page before, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
      };
      header?: never;
      path: {
        /**
         * @description Id of the webhook. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['DeliveryRecord'][];
            /** @description Leads to the page behind this one; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_webhooks_by_webhook_id_deliveries_by_delivery_id_redeliver: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
        /**
         * @description Id of the delivery. Characters other than letters, digits, `-`, `_`, `.` and `~` are percent-encoded.
         * @example 3c9b6f52-7f5e-4b3c-8f0e-5a1d9c2b7e44
         */
        delivery_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It will be sent. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeliveryRecord'];
        };
      };
    };
  };
  get_health_live: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It does. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            status: 'ok';
          };
        };
      };
    };
  };
  get_health_ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Requests can be served. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthReport'];
        };
      };
    };
  };
  get_health: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Requests can be served. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthReport'];
        };
      };
    };
  };
  get_metrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Of the gateway as it is now, of other processes as they told within the last 5 seconds. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
    };
  };
}
