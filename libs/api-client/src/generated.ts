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
     * @description The service answers once every device is usable. It loads a laboratory completely or not at all: if a file has a mistake or a device does not start, nothing changes. Devices of computers that are not connected start when those connect.
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
     * @description Refused while work needs the laboratories; the answer names the work. With `drain`, the answer is 202 while work continues, and the change happens when it ends. The service also unloads the protocols that need the laboratories. Resources keep their state.
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
     * Read laboratories from disk again
     * @description Unchanged devices keep running. The service restarts the others, and refuses to do so while they are in use. With `drain`, the answer is 202 while work continues, and the change happens when it ends. If a file has a mistake, the earlier version stays.
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
     * @description The service loads the protocols with their task types as they are on disk. Their laboratories must be loaded.
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
     * @description Refused while runs or campaigns of the protocols are not over, unless `drain` is true.
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
     * Read protocols from disk again
     * @description Accepted runs keep their definitions. The next run of a campaign gets the new ones. If a file has a mistake, the earlier version stays.
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
     * @description The service checks the text as if it were a file of a package, against the laboratories and task types of all packages.
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
     * Read task types from disk again
     * @description The service also reloads the loaded protocols that use the task types. Accepted work keeps its definitions. If a file has a mistake, nothing changes.
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
  '/api/code/{hash}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read code by its hash
     * @description Records of tasks and of calls of devices name the hash of the code that they ran.
     */
    get: operations['get_code_by_hash'];
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
     * Read the packages from disk again
     * @description Loaded definitions stay as they are.
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
  '/api/packages/{package_name}/{sha256}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Upload a version of a package
     * @description The body is a packed package (`tar.gz`) of at most 64 MiB, as `svc pkg upload` makes it. The service compares its hash and checks its definitions, its code and, if the laboratory demands one, its signature. It stores the version only if all is right, and activates nothing. The caller needs the role for each laboratory that the package concerns. The request can be repeated.
     */
    put: operations['put_packages_by_package_name_by_sha256'];
    post?: never;
    /**
     * Delete a version of a package
     * @description The answer is 409, and names everything that needs the version: it is active, was active before, or waits; or work that is not over, or can be resumed, was accepted with code that no other version has. Records keep the hash, the version and the commit of the code that they ran. The caller needs the role for each laboratory that the version concerned when it was uploaded.
     */
    delete: operations['delete_packages_by_package_name_by_sha256'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/packages/{package_name}/{sha256}/dry-run': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Try out a version of a package
     * @description The body is a packed package, as for an upload. The service checks it as an upload, says what its activation would change, and forgets it: nobody can activate it. The caller needs the role for each laboratory that the package concerns.
     */
    post: operations['post_packages_by_package_name_by_sha256_dry-run'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/packages/{package_name}/activate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Activate a version of a package
     * @description The service loads the version: it starts the devices that changed, and gives new work the new definitions and code. Accepted work keeps those that it was accepted with. Laboratories and protocols that are new in the package are loaded, too. If a device does not become usable within 95 s, the service goes back to the version before and says why. With `drain`, the answer is 202 while work continues, and the version becomes active when it ends. With `dry_run`, the service only says what would change.
     */
    post: operations['post_packages_by_package_name_activate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/packages/{package_name}/versions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the versions of a package */
    get: operations['get_packages_by_package_name_versions'];
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
     * Simulate a scenario
     * @description The simulation uses the loaded laboratories and protocols, and the engine and policies that run real work, on a clock that jumps from event to event. It stores and starts nothing. At most 2,000 tasks, 30 s and two simulations at a time.
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
     * Predict the course of a protocol run if it was submitted now
     * @description The simulation continues from the work that is running, queued and held now, with the durations learned so far: once without the run and once with it. It stores and starts nothing.
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
     * @description A protocol run executes a protocol once. `parameters` gives at least every dynamic (`svc_dynamic`) parameter. The service answers once the run is stored.
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
     * @description The service stops the running tasks before their devices go to other work. It answers once the cancellation is decided; the state of the run changes later.
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
     * @description The service starts no further task of the run. Running tasks continue to their end. The run keeps its devices.
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
     * @description A paused run continues. A failed or cancelled run continues where it stopped: the service keeps the completed tasks and tries the others again as new attempts. It deletes nothing of the history.
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
     * @description Changes the priority of all tasks of the run that are not over, and parameters of tasks without an attempt. The service checks the change like a submission, and makes all of it or nothing.
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
     * @description A campaign runs one protocol many times. Without an optimizer, give `global_parameters`, `protocol_run_parameters` (exactly `max_protocol_runs` entries), or both. With `optimize`, the service creates the optimizer of the protocol before it answers, and the optimizer proposes the inputs run by run.
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
     * @description The service starts no further run and cancels the runs of the campaign.
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
     * @description The service starts no further run, and no further task of the existing runs. Running tasks continue to their end.
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
     * @description A paused campaign continues. Of a failed or cancelled campaign, the service keeps the completed runs, resumes the failed and cancelled runs with the same parameters, and then continues with the remaining runs.
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
     * @description Changes the priority of all work of the campaign that is not over, the number of runs, the number of concurrent runs, and the parameters of runs that have not begun.
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
     * @description Any of `p_bayesian`, `p_ai`, `ai_history_size`, `ai_additional_context`, and the runtime parameters of the plugged-in optimizer. Setting one of the two probabilities sets the other as well. `p_ai` 0 removes the AI; a larger value brings it back. The service makes all changes or none. They survive every restart and resume.
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
     * Give a hint to the AI of the optimizer
     * @description The AI gets the text with its next suggestions until one of them succeeds.
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
     * @description State and settings, the proposals whose runs have not begun, the hints, and the latest entries of the journal. For a finished campaign: the optimizer at its end.
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
  '/api/campaigns/{campaign_name}/optimizer/journal': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the journal of the optimizer
     * @description How the parameters of each run were found, for example what the AI wrote about its suggestion. Trials without a note are left out.
     */
    get: operations['get_campaigns_by_campaign_name_optimizer_journal'];
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
     * @description Inputs, outputs and notes of each trial. A campaign without an optimizer has none.
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
     * Read the default settings of the optimizer of a protocol
     * @description Fields for a form, default settings, inputs and outputs. The service creates the optimizer for this answer and drops it again.
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
     * @description One row for each run that has begun, by number: its result, the source of its parameters, its parameters and outputs as `TASK.NAME`, and the reason of a failure. The table leaves out outputs that are lists or objects. An output with the name of a parameter gets the suffix ` (output)`. Each row shows the run at the time when the row is sent. Numbers have their stored precision. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a JSON string.
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
     * @description One row for each run by number, with the parameters that it got, or will get as far as they are known. Edit the table and send it to `/api/protocols/{protocol}/parameters`. Numbers have their stored precision. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a JSON string.
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
  '/api/effects.csv': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the calls of devices as a table
     * @description One row for each recorded call, latest first, with the filters of `/api/effects`. Numbers have their stored precision. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a JSON string.
     */
    get: operations['get_effects.csv'];
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
     * @description Turns the table into `protocol_run_parameters` for a campaign of this protocol, and stores nothing. The header row names columns `TASK.PARAMETER`. Each row is a run. An empty cell is a value that is not given. The service reads and checks values as the task types declare them. Cells are separated by commas, or by semicolons; with semicolons a number may have a decimal comma. At most 100000 rows and 1000 columns. Numbers have their stored precision. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a JSON string.
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
     * @description An on-demand task is a single task that belongs to no protocol run. It waits while its devices or resources are busy, at most `allocation_timeout` seconds.
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
     * @description The service removes a queued on-demand task from the queue and stops a running one. When a task of a protocol run is cancelled, the run fails.
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
    /** List the attempts of a task */
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
     * @description The priority can change at any time, the parameters until the first attempt begins. The service checks the change like a submission, and makes all of it or nothing.
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
     * @description An id names one task for ever. The name of an on-demand task can be used again.
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
     * @description Contains the files of the latest attempt of each task.
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
  '/api/effects': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the calls of devices that may have changed something
     * @description Calls of tasks and of people, as the agents recorded them. A call arrives within seconds after its beginning, or when its agent is heard again. The service keeps calls as long as the records of tasks.
     */
    get: operations['get_effects'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/effects/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a call of a device */
    get: operations['get_effects_by_id'];
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
    /** List the actions of people */
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
    /**
     * Change the data of a resource
     * @description A value replaces that of the same name; null removes it; other values stay. Refused while a task or a protocol run holds the resource, unless it is forced with a reason. If a running task holds the resource, the values that the task reports when it ends replace the change.
     */
    patch: operations['patch_resources_by_resource_name'];
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
     * Reset the data of a resource to the values in its lab file
     * @description Refused while a task or a protocol run holds the resource; the answer names the holder. With `force` and a reason, the service resets it all the same. If a running task holds the resource, the values that the task reports when it ends replace the reset.
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
    /** List the tasks that held a resource, the data that they left, and its resets */
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
     * @description Only finished work can be archived. The record stays readable by its name, with `archived_at`, and the name stays taken. Lists contain it with `archived=true` or `archived=all`. To resume it, restore it first. The runs of the campaign, their tasks, attempts and files are archived with it.
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
     * @description The lists contain it again, as if it had never been archived.
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
     * @description Only finished work can be archived. The record stays readable by its name, with `archived_at`, and the name stays taken. Lists contain it with `archived=true` or `archived=all`. To resume it, restore it first. The tasks of the run, their attempts and files are archived with it. A run of a campaign is archived with the campaign.
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
     * @description The lists contain it again, as if it had never been archived.
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
     * @description Only finished work can be archived. The record stays readable by its name, with `archived_at`, and the name stays taken. Lists contain it with `archived=true` or `archived=all`. To resume it, restore it first. The attempts and files of the task are archived with it. A task of a protocol run is archived with the run.
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
     * @description The lists contain it again, as if it had never been archived.
     */
    post: operations['post_tasks_by_task_name_restore'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/delete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Delete a campaign
     * @description Only finished work can be deleted. The work is archived at once. The deletion begins at `due_at`; until then it can be taken back. The runs of the campaign, their tasks, attempts, trials, files, log lines and events are deleted with it. A legal hold prevents it.
     */
    post: operations['post_campaigns_by_campaign_name_delete'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/keep': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take the deletion of a campaign back
     * @description The work stays archived; restore it to see it in the lists. A deletion that has begun cannot be taken back.
     */
    post: operations['post_campaigns_by_campaign_name_keep'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/delete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Delete a protocol run
     * @description Only finished work can be deleted. The work is archived at once. The deletion begins at `due_at`; until then it can be taken back. The tasks of the run, their attempts, files, log lines and events are deleted with it. A run of a campaign is deleted with the campaign. A legal hold prevents it.
     */
    post: operations['post_protocols_by_protocol_run_name_delete'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/protocols/{protocol_run_name}/keep': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take the deletion of a protocol run back
     * @description The work stays archived; restore it to see it in the lists. A deletion that has begun cannot be taken back.
     */
    post: operations['post_protocols_by_protocol_run_name_keep'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/delete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Delete an on-demand task
     * @description Only finished work can be deleted. The work is archived at once. The deletion begins at `due_at`; until then it can be taken back. The attempts, files, log lines and events of the task are deleted with it. A task of a protocol run is deleted with the run. A legal hold prevents it.
     */
    post: operations['post_tasks_by_task_name_delete'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tasks/{task_name}/keep': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take the deletion of an on-demand task back
     * @description The work stays archived; restore it to see it in the lists. A deletion that has begun cannot be taken back.
     */
    post: operations['post_tasks_by_task_name_keep'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/deletions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the deletions of work
     * @description Those that wait, those that run, and those that are done or were taken back.
     */
    get: operations['get_deletions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/legal-holds': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the legal holds in force */
    get: operations['get_legal-holds'];
    put?: never;
    /**
     * Forbid the deletion of work
     * @description Deletions of this work that have not begun are taken back. `too_late` names the work whose deletion has begun.
     */
    post: operations['post_legal-holds'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/legal-holds/{id}/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Release a legal hold
     * @description Deletions that the hold took back do not come back.
     */
    post: operations['post_legal-holds_by_id_release'];
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
     * @description The submission has a free name. For a task of a protocol run, it describes an on-demand task with the devices, resources and values that the task got.
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
     * @description The submission has a free name. For a run of a campaign, it has the parameters that the run got.
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
     * @description The submission has a free name. It contains no secrets; `left_out` names the ones to add.
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
     * @description With `Range`, the answer is a part of the file, to continue a download that broke off. `If-Range` with the `ETag` ensures that the part belongs to the same file.
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
     * Download all files of a task as one zip archive
     * @description The files are stored without compression, and the archive may have any size (zip64). An archive that breaks off is shorter than its `Content-Length`.
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
     * Download all files of a protocol run as one zip archive, with a folder for each task
     * @description The files are stored without compression, and the archive may have any size (zip64). An archive that breaks off is shorter than its `Content-Length`.
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
  '/api/campaigns/{campaign_name}/files.zip': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Download all files of a campaign as one zip archive, with a folder for each protocol run and task
     * @description The files are stored without compression, and the archive may have any size (zip64). An archive that breaks off is shorter than its `Content-Length`. The archive of a campaign that still runs has the files that its tasks have produced so far.
     */
    get: operations['get_campaigns_by_campaign_name_files.zip'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/device-files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the files that instruments wrote
     * @description Files that belong to an attempt, and loose ones.
     */
    get: operations['get_device-files'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/files/{file_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a file of a device */
    get: operations['get_labs_by_lab_id_devices_by_device_id_files_by_file_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/files/{file_id}/content': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Download a file of a device
     * @description With `Range`, the answer is a part of the file, to continue a download that broke off. `If-Range` with the `ETag` ensures that the part belongs to the same file.
     */
    get: operations['get_labs_by_lab_id_devices_by_device_id_files_by_file_id_content'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/files/{file_id}/attach': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Attach a file of a device to a task
     * @description The task must be one of the laboratory of the device. A file that belongs to another task is attached to this one instead. The record names the person and the reason. The output files of the task do not change.
     */
    post: operations['post_labs_by_lab_id_devices_by_device_id_files_by_file_id_attach'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/files/{file_id}/delete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Delete a loose file of a device
     * @description Until the deletion begins, it can be taken back, and the file can be attached. A file of a task is deleted with its work. A legal hold on the laboratory prevents the deletion.
     */
    post: operations['post_labs_by_lab_id_devices_by_device_id_files_by_file_id_delete'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/files/{file_id}/keep': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take the deletion of a file of a device back
     * @description A deletion that has begun cannot be taken back. The service does not delete the file by its age any more.
     */
    post: operations['post_labs_by_lab_id_devices_by_device_id_files_by_file_id_keep'];
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
    /** Read a device, with the descriptions and parameters of its functions */
    get: operations['get_labs_by_lab_id_devices_by_device_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/disable': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take a device out of service: no task starts on it
     * @description A running task continues to its end. Tasks that need the device wait, also the next tasks of a run that holds it. The device goes on running, and people can call it. It comes back at `until`, or when a person puts it back. A repeated request replaces reason and time.
     */
    post: operations['post_labs_by_lab_id_devices_by_device_id_disable'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/enable': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Put a device back into service
     * @description The request can be repeated.
     */
    post: operations['post_labs_by_lab_id_devices_by_device_id_enable'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/labs/{lab_id}/devices/{device_id}/restart': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Restart a device
     * @description The device takes no more calls, its process runs `_cleanup` and ends, and a new process runs `_initialize`. Refused while a task or run holds the device, unless it is faulted or uncertain; while a call of it runs; and under an emergency stop. A device in doubt asks its driver again, and stays in doubt.
     */
    post: operations['post_labs_by_lab_id_devices_by_device_id_restart'];
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
     * @description The call goes straight to the device, without validation, allocation and scheduling. The body maps parameter names to values and may be empty. The service refuses a function that is no query (`device_in_use`) while a task holds the device, unless the caller forces it with a reason. With authentication on, and for a forced call, it writes the call into the audit before it makes the call.
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
     * @description One for each computer of the loaded laboratories, and for each computer that ever registered: whether the agent is connected, what it runs, and why it is away.
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
    /** Read the agent of a computer */
    get: operations['get_agents_by_computer'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agents/{computer}/drain': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Drain a computer: no task starts on its devices
     * @description For work on the computer, such as an update of its agent. Running tasks continue to their end; `drain.drained` says when none is left. Tasks that need a device of the computer wait, also the next tasks of a run that keeps one. People can still call the devices. The drain ends at `until`, or when a person resumes the computer. A repeated request replaces reason and time.
     */
    post: operations['post_agents_by_computer_drain'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agents/{computer}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Resume a computer
     * @description Ends the drain of the computer. The request can be repeated.
     */
    post: operations['post_agents_by_computer_resume'];
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
    /** List the decisions that only a person can make */
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
     * Resolve an attention item
     * @description A task is declared `completed` with its outputs, or `failed`, or is tried again (`retry`). A device is declared `idle` and safe to be started anew. An agent is declared `lost`. A task that runs for long goes on (`keep_waiting`) or is stopped (`cancel`). Other warnings take no decision. The service keeps the decision and the name of the person for ever.
     */
    post: operations['post_attention_by_id_resolve'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attention/{id}/claim': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say that you are deciding an attention item
     * @description Others see in `claim` who is deciding. A claim lasts 10 min; repeat the request to renew it. It ends with the decision, or when its person releases it. It informs, and keeps nobody from deciding: a decision of somebody else is carried out, and the audit names whose claim it ignored. While another person has a claim, the request is refused unless `take_over` is true.
     */
    post: operations['post_attention_by_id_claim'];
    /**
     * Say that you are not deciding an attention item any more
     * @description Ends your claim. Without a claim in force the request changes nothing. The claim of another person is refused.
     */
    delete: operations['delete_attention_by_id_claim'];
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
     * Engage an emergency stop
     * @description Stops everything, a laboratory, or a device of a laboratory. The gateway notifies every agent at once, whatever the state of the orchestrator and the database. Each agent runs `_stop` on each of its devices in the scope, outside of all queues, and answers. The answer of the gateway comes within 2 s and names every device in the scope: stopped, still stopping, not reached, or unknown. Nothing starts in the scope until the emergency stop is released. It survives every restart. Status 202: the agents were notified and keep to the stop, but it is not recorded yet. Status 503: the broker took no notification; `errors` names the devices that may be moving.
     */
    post: operations['post_estop'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/estop/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an emergency stop, and ask all agents about it
     * @description While the emergency stop is in force, the gateway asks every agent and waits up to 1 s for the answers. Repeat the request until `confirmed` is true to follow an emergency stop. A caller with roles for single laboratories reads those of everything and of these, and `devices` has only devices of these; `confirmed` counts all.
     */
    get: operations['get_estop_by_id'];
    put?: never;
    post?: never;
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
     * @description Releases one emergency stop by its id, or every one in force. Devices that no other emergency stop covers take calls again.
     */
    post: operations['post_estop_release'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/queue/drain': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read the drain of all work */
    get: operations['get_queue_drain'];
    put?: never;
    /**
     * Drain all work
     * @description No protocol run and no on-demand task begins. Those that have begun go on to their end, with all their tasks. New work is accepted and waits. The drain lasts over every restart, until a person ends it. The request can be repeated.
     */
    post: operations['post_queue_drain'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/queue/drain/end': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End the drain of all work
     * @description Work may begin again, except that of drained campaigns. The request can be repeated.
     */
    post: operations['post_queue_drain_end'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/drain': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the drain of a campaign
     * @description A campaign that has ended is not drained any more.
     */
    get: operations['get_campaigns_by_campaign_name_drain'];
    put?: never;
    /**
     * Drain a campaign
     * @description No further run of the campaign begins. Its runs that have begun go on to their end, with all their tasks. The drain lasts over every restart, until a person ends it or the campaign ends. The request can be repeated.
     */
    post: operations['post_campaigns_by_campaign_name_drain'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/campaigns/{campaign_name}/drain/end': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End the drain of a campaign
     * @description Further runs of the campaign may begin again. The request can be repeated.
     */
    post: operations['post_campaigns_by_campaign_name_drain_end'];
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
     * Read the queue: its order, why each task waits, and whether the queue is paused
     * @description The waiting tasks in the order in which the scheduler considers them: tasks with a planned start by that start, the others by the scheduling policy. A task that can start goes before a task that has to wait, so the positions are not the order of starts. The parameters filter the list and change no position. The list shows this moment: a page continues behind the last task of the previous page, wherever that task is by then. A page has fewer tasks than `limit` if their reasons would not fit into one message. A caller with roles for single laboratories gets, and counts, only tasks whose laboratories are all among these. The positions count all tasks, and reasons call everything else `other laboratories`.
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
     * @description The service starts no further task. Running tasks continue to their end. The queue stays paused over every restart. The request can be repeated.
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
     * @description The request can be repeated.
     */
    post: operations['post_queue_resume'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what owners and laboratories store, with their quotas
     * @description An administrator gets all of it. Others get their own usage, and that of the laboratories for which they have a role. What was deleted counts for up to 10 s more.
     */
    get: operations['get_usage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/reservations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the reservations that have not ended */
    get: operations['get_reservations'];
    put?: never;
    /**
     * Reserve a device or a resource for a time
     * @description In this time only tasks whose owner is the person of the reservation start on it. Before, a task of somebody else starts only if it is expected to end by `from`, and an on-demand task without a learned duration not within the hour before `from`. A running task continues to its end. The reservation ends at `to`. A time that overlaps with another reservation of the same device or resource is refused.
     */
    post: operations['post_reservations'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/reservations/{id}/end': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End a reservation early
     * @description A reservation that has not begun can be ended as well.
     */
    post: operations['post_reservations_by_id_end'];
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
     * Read the plan, and the reason why each queued task has not started
     * @description Planned and actual times of every task and device, when runs and campaigns are expected to complete, and the quality of the plan. The parameters combine. A name that does not exist selects nothing.
     *
     *     With `from` and `to`, the answer has every task whose time touches the window: the actual time of a task that has started, the present plan of a task that waits. `first_plan` and `last_plan` select nothing. A task that waits without a plan, or that ended without a start, is in no window. `run`, `device` and `lab` select ended tasks by what they had. If `truncated` is true, read on with `from` at the start of the last task; tasks that span that moment come again. A caller with roles for single laboratories gets only tasks, devices and resources of these, `plan` is null, and reasons call everything else `other laboratories`.
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
    /** Read your identity and your roles */
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
     * List access tokens
     * @description With the role admin: all tokens. Otherwise: your own. Includes revoked and expired tokens.
     */
    get: operations['get_tokens'];
    put?: never;
    /**
     * Create an access token
     * @description The response contains the token. The service shows it only once and keeps only its hash. The role admin creates any token. A person who signed in at the identity provider creates personal tokens with at most their own roles. A token creates no tokens, unless it belongs to an admin.
     */
    post: operations['post_tokens'];
    /**
     * Revoke all access tokens of a person
     * @description For the role admin: everybody, otherwise only yourself. This gateway refuses the tokens from now on, every other gateway within 5 s. A person whom the identity provider still knows can sign in there and make new tokens.
     */
    delete: operations['delete_tokens'];
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
     * Revoke an access token
     * @description Ends the sessions of browsers that began with the token, too. This gateway refuses the token from now on, every other gateway within 5 s. The record stays for the audit. The request can be repeated.
     */
    delete: operations['delete_tokens_by_token_id'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tokens/exchange': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Exchange a signed token of a pipeline
     * @description For pipelines of an issuer in `auth.pipelines` of the configuration, by the names of RFC 8693. The request needs no other token. The service verifies the signature, the audience and the times of the signed token. The rules of the configuration say which roles its claims give, always for named laboratories. A signed token can be exchanged once, within an hour of its signature.
     */
    post: operations['post_tokens_exchange'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin a session
     * @description For the page of the service, which sends an access token in the header `Authorization` once. The session has the roles of the token and ends with it. It is in the list of tokens, where it can be revoked.
     */
    post: operations['post_sessions'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sessions/current': {
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
     * End this session
     * @description For the page of the service: ends the session of the cookie, and removes the cookie.
     */
    delete: operations['delete_sessions_current'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent-packages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List packages of the agent
     * @description The packages in the folder that the configuration names. A computer without Internet gets them here.
     */
    get: operations['get_agent-packages'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/invitations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List invitations
     * @description Includes invitations that were used or have expired.
     */
    get: operations['get_invitations'];
    put?: never;
    /**
     * Invite a computer
     * @description The response contains the command with which the computer joins. The service shows its token only once and keeps only a hash of it. A token for one computer can be used once.
     */
    post: operations['post_invitations'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/invitations/{invitation_id}': {
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
     * Withdraw an invitation
     * @description No further computer can join with it. Agents that joined with it stay. The request can be repeated.
     */
    delete: operations['delete_invitations_by_invitation_id'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/enrolments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List agents that joined */
    get: operations['get_enrolments'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/enrolments/{computer}/approve': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Approve an agent
     * @description An agent that waits for approval gets its credentials within seconds. The request can be repeated.
     */
    post: operations['post_enrolments_by_computer_approve'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/enrolments/{computer}/revoke': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Revoke an agent
     * @description The broker cuts the connection of the agent at once and refuses its key from now on. Its tasks are treated as those of a computer that was lost. Another agent of the computer may join with a new invitation. The request can be repeated.
     */
    post: operations['post_enrolments_by_computer_revoke'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent-rollouts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the latest rollouts */
    get: operations['get_agent-rollouts'];
    put?: never;
    /**
     * Update the agents of many computers
     * @description The service updates one computer, then a tenth of them, then the rest, and watches each ring before the next one begins, and the last one before the rollout ends. It drains each computer, waits until nothing runs there, and asks its agent to update. The rollout halts when an agent refuses, comes back with another version, also later, or not in time, or when an attention item about an updated computer is opened. `left_out` names the computers that cannot be updated from the service. There is one rollout at a time.
     */
    post: operations['post_agent-rollouts'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent-rollouts/{rollout_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read a rollout */
    get: operations['get_agent-rollouts_by_rollout_id'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent-rollouts/{rollout_id}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Resume a halted rollout
     * @description The computer that failed is tried again.
     */
    post: operations['post_agent-rollouts_by_rollout_id_resume'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/agent-rollouts/{rollout_id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a rollout
     * @description What is updated stays. An agent that was asked already is followed to its end. The request can be repeated.
     */
    post: operations['post_agent-rollouts_by_rollout_id_cancel'];
    delete?: never;
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
     * Check that no entry of the audit was changed or removed
     * @description The service checks the whole chain of hashes. A person who can write to the database itself could compute the whole chain anew: store `head` elsewhere from time to time.
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
  '/api/security/refusals': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List refused requests
     * @description Requests that the service refused with 401, 403, 421 or 429, and addresses that webhooks may not reach. One record counts the refusals of one kind, caller and address within a minute. Other gateways show theirs up to a minute later. Records are kept for 90 days, and at most 200,000 of them.
     */
    get: operations['get_security_refusals'];
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
     * Follow events
     * @description Server-sent events, from now on or from behind an id, until the client leaves, or its token or session ends. Each has the id, the type, and a `ServiceEvent` as data. A caller with roles for single laboratories gets the events whose laboratories are all among these. A client that reconnects with the id of its last event, as browsers do by themselves, misses no event and gets none twice. Every 15 s the service sends a comment, and the id up to which the client has everything. The service disconnects a client that reads too slowly; the client continues from its last id. `event: gap` is the last event of a stream that cannot be complete, because events were removed before they could be sent.
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
    /** Read the events of one record */
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
     * List the output of tasks and devices
     * @description The service stores a line within a second after it was written. `logs` of the configuration says how long it keeps lines.
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
     * Follow the output of tasks and devices
     * @description Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, until the client leaves. The stream stays open when the source of the lines has ended. Heartbeats, `event: gap`, and continuing after a break work as in `GET /api/events`. The limit of streams counts both kinds together.
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
     * List the output of a task
     * @description Contains the output of all attempts.
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
     * Follow the output of a task
     * @description The output of all attempts. Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, until the client leaves. The stream stays open when the source of the lines has ended. Heartbeats, `event: gap`, and continuing after a break work as in `GET /api/events`. The limit of streams counts both kinds together.
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
    /** List the output of the tasks of a protocol run */
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
     * Follow the output of the tasks of a protocol run
     * @description Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, until the client leaves. The stream stays open when the source of the lines has ended. Heartbeats, `event: gap`, and continuing after a break work as in `GET /api/events`. The limit of streams counts both kinds together.
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
     * List the output of a device
     * @description The device may have been unloaded in the meantime.
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
     * Follow the output of a device
     * @description Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, until the client leaves. The stream stays open when the source of the lines has ended. Heartbeats, `event: gap`, and continuing after a break work as in `GET /api/events`. The limit of streams counts both kinds together.
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
     * Create a webhook
     * @description The service sends every event that passes the filters as a POST request, signed as the Standard Webhooks specification says, until the receiver answers with a status from 200 to 299. The response contains the secret; the service shows it only once. The address must begin with `https://` and lead to a machine on the public internet, unless the configuration allows more. The service resolves the name in the address before each request.
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
     * @description The service removes the webhook and its deliveries. It does not stop a request that is under way.
     */
    delete: operations['delete_webhooks_by_webhook_id'];
    options?: never;
    head?: never;
    /**
     * Change a webhook
     * @description New filters and a new `include` apply to events that have no delivery yet, and to events that are replayed. A disabled webhook sends nothing. When it is enabled again, it continues where it stopped, and retries the deliveries that wait at once.
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
     * Give a webhook a new secret
     * @description The response contains the new secret; the service shows it only once. For some time the service signs with the previous secret as well, so that the receiver can change over.
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
     * Send events again, or skip some
     * @description The webhook continues behind the given event, before or after its position. It sends repeated events under the same `webhook-id`.
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
     * Test a webhook
     * @description The service sends one signed message without content at once, also to a disabled webhook, and answers with the result. It does not retry.
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
    /** List the deliveries of a webhook */
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
     * @description The previous result does not matter. A delivery that waits is retried at once. Later events of the same record wait for it.
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
    /** Check whether the gateway answers */
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
     * Check whether the service can do its work
     * @description The service asks every part that requests need at this moment. The status is also 200 when a part does less than it should (`degraded`), for example when a computer has no agent.
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
     * @description The service asks every part that requests need at this moment. The status is also 200 when a part does less than it should (`degraded`), for example when a computer has no agent.
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
     * Read the metrics of all processes, for Prometheus
     * @description Text format 0.0.4. With `metrics.open` in the configuration, no token is needed.
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
  '/': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what the service is and how it is
     * @description The web page for a client that accepts `text/html`, else JSON. The status is 200 also when a part of the service is unavailable. Only a caller with the role `viewer` for all laboratories sees how much work there is, and which releases and tables the service has.
     */
    get: operations['get'];
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
    LabRecord: {
      /**
       * @description Name of the laboratory.
       * @example color_lab
       */
      name: string;
      /** @description Description of the laboratory. Empty when its files have errors and it is not loaded. */
      desc: string;
      /** @enum {string} */
      state: 'loaded' | 'draining' | 'unloaded';
      /**
       * @description What happens when the work of a draining laboratory has ended; else null. `deploy`: another version of a package becomes active.
       * @enum {string|null}
       */
      draining_for: 'unload' | 'reload' | 'deploy' | null;
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
      /** @description Content hash of the loaded version, or else of the version on disk; null when that has errors. */
      hash: string | null;
      /** @description False: its files had errors when the service last read them. */
      sound: boolean;
      /** @description Names of its devices. */
      devices: string[];
      /** @description Names of its resources. */
      resources: string[];
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
        | 'quota_exceeded'
        | 'events_pruned'
        | 'idempotency_key_in_progress'
        | 'idempotency_key_reused'
        | 'outcome_unknown'
        | 'answer_not_kept'
        | 'payload_too_large'
        | 'uri_too_long'
        | 'unsupported_media_type'
        | 'range_not_satisfiable'
        | 'misdirected'
        | 'upgrade_required'
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
       * @description What is known about the physical effect of the request.
       * @enum {string}
       */
      effect?: 'none' | 'maybe' | 'done';
      errors?: {
        /**
         * @description Path inside the body, or `?name` in the query.
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
         * @description Line in that file, from 1.
         * @example 12
         */
        line?: number;
        /**
         * @description Column in that line, from 1.
         * @example 3
         */
        column?: number;
      }[];
      /** @description Stack of the author's code that failed. It has paths inside the package only. */
      author_stack?: string;
      /**
       * @description Path of the request.
       * @example /api/protocols
       */
      instance?: string;
    };
    LabChange: {
      /**
       * @description Name of the laboratory.
       * @example color_lab
       */
      name: string;
      /** @enum {string} */
      state: 'loaded' | 'draining' | 'unloaded';
      /** @description Content hash of the loaded version, or else of the version on disk; null when that has errors. */
      hash: string | null;
      /** @description Devices of the laboratory, after a load or reload. */
      devices: components['schemas']['LoadedDevice'][];
      /** @description Protocols that were unloaded with the laboratory. */
      unloaded_protocols: string[];
      /** @description Work that must end before a draining laboratory changes. */
      waits_for: string[];
    };
    LoadedDevice: {
      /**
       * @description Name within the laboratory.
       * @example station_1
       */
      name: string;
      /**
       * @description Computer whose agent runs the device.
       * @example svc_computer
       */
      computer: string;
      /**
       * @description `disabled`: the computer of the device is not connected. The device starts when the computer connects.
       * @enum {string}
       */
      state:
        | 'disabled'
        | 'initializing'
        | 'idle'
        | 'busy'
        | 'aborting'
        | 'uncertain'
        | 'restarting'
        | 'faulted'
        | 'unreachable';
      /** @description What is wrong, in words; null when nothing is. */
      detail: string | null;
      /** @description False: the device was running already and continues unchanged. */
      started: boolean;
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
       * @description True: does not refuse the request while work runs. The laboratory accepts nothing new, and the change happens when its work has ended. Default: false.
       * @example false
       */
      drain?: boolean;
    };
    ProtocolChange: {
      /**
       * @description Type name of the protocol.
       * @example color_mixing
       */
      type: string;
      /** @description True: the protocol is loaded. */
      loaded: boolean;
      /** @description Content hash of the loaded version, or else of the version on disk; null when that has errors. */
      hash: string | null;
      /** @description Work that continues with the version that it was accepted with. */
      still_running: string[];
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
       * @description True: unloads the protocol although runs or campaigns of it continue. They keep the definition that they were accepted with. Default: false.
       * @example false
       */
      drain?: boolean;
    };
    Validation: {
      /** @description True: a package with this protocol would load. */
      valid: boolean;
      /** @description What is wrong, and where. */
      errors: components['schemas']['Fault'][];
    };
    Fault: {
      /**
       * @description Path inside the document or body.
       * @example tasks[2].devices.mixer
       */
      path: string;
      /**
       * @description Stable identifier of the rule that is broken.
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
       * @description Line in that file, from 1.
       * @example 12
       */
      line?: number;
      /**
       * @description Column in that line, from 1.
       * @example 3
       */
      column?: number;
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
    TaskTypeChange: {
      /**
       * @description Name of the task type.
       * @example mix_colors
       */
      type: string;
      /** @description Content hash of the loaded version. */
      hash: string;
      /** @description Loaded protocols that use the task type from their next run on. */
      protocols: string[];
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
    PackageRecord: {
      /**
       * @description Package that defines it.
       * @example color_lab
       */
      name: string;
      /** @description Laboratories that the package defines. */
      labs: string[];
      /** @description Device types. */
      devices: string[];
      /** @description Task types. */
      tasks: string[];
      /** @description Protocols. */
      protocols: string[];
      /** @description What is wrong, and where. */
      errors: components['schemas']['Fault'][];
      /** @description Findings with which the definitions can be used. */
      warnings: components['schemas']['Fault'][];
    };
    CodeRecord: {
      /** @description Content hash of the code. */
      hash: string;
      /** @description The code: a JavaScript module. */
      text: string;
      /** @description Versions of packages that the code was read from, latest first. */
      origins: {
        /**
         * @description Name of the package.
         * @example color_lab
         */
        package: string;
        /**
         * @description Version in its `package.json`; null: none is given.
         * @example 1.4.0
         */
        version: string | null;
        /**
         * @description Git commit that was checked out; null: none is known.
         * @example 9fceb02d0ae598e95dc970b74767f19372d61af8
         */
        commit: string | null;
        /** @description Whether files of the package differed from the commit; null: it is not known. */
        modified: boolean | null;
        /**
         * Format: date-time
         * @description When the service first read the code from this version.
         * @example 2026-11-20T09:30:00.000Z
         */
        loaded_at: string;
      }[];
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
      /** @description True: the definition is loaded. */
      loaded: boolean;
      /** @description Content hash of the loaded version, or else of the version on disk; null when that has errors. */
      hash: string | null;
      /** @description False: its files had errors when the service last read them. */
      sound: boolean;
      /** @description Laboratories of the definition: the laboratory itself, those that a protocol names, those that have the device type, and of a task type those that have what it needs or whose loaded protocols use it. Only laboratories that the caller may see. */
      labs: string[];
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
      /** @description True: the definition is loaded. */
      loaded: boolean;
      /** @description Content hash of the loaded version, or else of the version on disk; null when that has errors. */
      hash: string | null;
      /** @description False: its files had errors when the service last read them. */
      sound: boolean;
      /** @description Laboratories of the definition: the laboratory itself, those that a protocol names, those that have the device type, and of a task type those that have what it needs or whose loaded protocols use it. Only laboratories that the caller may see. */
      labs: string[];
      /** @description The loaded definition, or else the one on disk, with every optional field filled in; null when both are missing or have errors. */
      definition: {
        [key: string]: unknown;
      } | null;
      /** @description What is wrong, and where. */
      errors: components['schemas']['Fault'][];
    };
    /** @description A packed version of a package, by its hash. */
    PackageVersionRecord: {
      /**
       * @description Name of the package.
       * @example color_lab
       */
      package: string;
      /**
       * @description SHA-256 of the packed package, hexadecimal.
       * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
       */
      sha256: string;
      /**
       * @description Size of the packed package, in bytes.
       * @example 20480
       */
      size: number;
      /**
       * @description Version in its `package.json`; null: none is given.
       * @example 1.4.0
       */
      version: string | null;
      /**
       * @description Commit of the sources; null: none was given.
       * @example 9fceb02d0ae598e95dc970b74767f19372d61af8
       */
      commit: string | null;
      /**
       * @description Author of the commit; null: none was given.
       * @example ada@example.org
       */
      author: string | null;
      /**
       * Format: date-time
       * @description When it was uploaded.
       * @example 2026-11-20T09:30:00.000Z
       */
      uploaded_at: string;
      /**
       * @description Person or program that uploaded it.
       * @example ci
       */
      uploaded_by: string;
      /** @description Laboratories that the package concerned when it was uploaded. */
      labs: string[];
      /** @description True: it is active. */
      active: boolean;
      /**
       * Format: date-time
       * @description Since when it is active; null: it is not.
       * @example 2026-11-20T09:30:00.000Z
       */
      active_since: string | null;
      failure: {
        /**
         * Format: date-time
         * @description When the service went back.
         * @example 2026-11-20T09:30:00.000Z
         */
        at: string;
        /**
         * @description Why the version did not stay active.
         * @example the laboratory color_lab was not loaded
         */
        reason: string;
      } | null;
    };
    /** @description A version of a package that was deleted. */
    DeletedPackageVersion: {
      /**
       * @description Name of the package.
       * @example color_lab
       */
      package: string;
      /**
       * @description SHA-256 of the packed package, hexadecimal.
       * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
       */
      sha256: string;
      /**
       * @description Size of the packed package, in bytes.
       * @example 20480
       */
      size: number;
    };
    /** @description What an activation did or, with `dry_run`, would do. */
    PackageActivationRecord: {
      /**
       * @description Name of the package.
       * @example color_lab
       */
      package: string;
      /**
       * @description What is to be active: a hash, or `folder`.
       * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
       */
      sha256: string;
      /**
       * @description What was active before. Written as `sha256`, or `none`.
       * @example none
       */
      before: string;
      /**
       * @description `active`: it is active, and its devices are usable. `draining`: it becomes active when the work in `waits_for` has ended. `possible`: an answer to a dry run.
       * @enum {string}
       */
      state: 'possible' | 'active' | 'draining';
      /** @description Laboratories that it concerns. */
      labs: string[];
      /** @description Definitions that change. */
      definitions: {
        /** @enum {string} */
        type: 'lab' | 'device' | 'task' | 'protocol';
        /**
         * @description Name of the definition.
         * @example mix_colors
         */
        name: string;
        /** @enum {string} */
        change: 'added' | 'changed' | 'removed';
      }[];
      /** @description Devices that change. */
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
        /**
         * @description `changed`: the device is started again.
         * @enum {string}
         */
        change: 'added' | 'changed' | 'removed';
      }[];
      /** @description Unfinished work that keeps the definitions and the code that it was accepted with. */
      keeps_old: string[];
      /** @description Unfinished work that uses a changed device, and must end first. */
      waits_for: string[];
      /** @description Devices of the laboratories after the activation; empty before. */
      started: components['schemas']['LoadedDevice'][];
    };
    PackageActivation: {
      /**
       * @description Hash of the version. `folder`: the package in the folder of packages is to be active again.
       * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
       */
      sha256: string;
      /**
       * @description What must be active at present: a hash, `folder` or `none`. If something else is, the answer is 409 and names it, and nothing changes.
       * @example none
       */
      expect: string;
      /**
       * @description True: does not refuse the request while work uses a changed device. The laboratory accepts nothing new, and the version becomes active when its work has ended. Default: false.
       * @example false
       */
      drain?: boolean;
      /**
       * @description True: the service only says what would change, and changes nothing. Default: false.
       * @example false
       */
      dry_run?: boolean;
      /**
       * @description Commit of the sources, for the audit.
       * @example 9fceb02d0ae598e95dc970b74767f19372d61af8
       */
      commit?: string;
      /**
       * @description Author of the commit, for the audit.
       * @example ada@example.org
       */
      author?: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    /** @description The versions of a package, and which of them is active. */
    PackageVersions: {
      /**
       * @description Name of the package.
       * @example color_lab
       */
      package: string;
      /**
       * @description Hash of the active version; `folder`: the package in the folder of packages is active; `none`: none is.
       * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
       */
      active: string;
      /**
       * @description What was active before, which a rollback activates. Written as `active`.
       * @example none
       */
      previous: string;
      /**
       * Format: date-time
       * @description Since when; null: nothing was activated yet.
       * @example 2026-11-20T09:30:00.000Z
       */
      active_since: string | null;
      /**
       * @description Who activated it; null: nothing was activated yet.
       * @example ci
       */
      activated_by: string | null;
      /** @description Hash of a version that becomes active when work has ended; null: none does. */
      waiting: string | null;
      /** @description The latest 200 versions, newest first. */
      versions: components['schemas']['PackageVersionRecord'][];
    };
    SimulationRecord: {
      /** @enum {string} */
      scheduler: 'greedy' | 'cpsat';
      /**
       * @description The jitter of the scenario.
       * @example 0.1
       */
      jitter: number;
      /**
       * @description The random seed of the scenario.
       * @example 42
       */
      seed: number;
      /**
       * @description `completed`: all work has ended, well or not. `stuck`: the remaining tasks wait for ever. `horizon`: the time was over before the work was.
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
         * @description Most tasks at the same time.
         * @example 3
         */
        max: number;
        /**
         * @description Average number of tasks at the same time.
         * @example 1.9
         */
        average: number;
      };
      /**
       * @description Number of tasks.
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
      /** @description Tasks that could never start, and why; at most 100. */
      stuck: {
        /**
         * @description `<protocol run>/<task>`, or the name of the on-demand task.
         * @example color_mixing_001/mix_colors
         */
        task: string;
        waits_for: string[];
      }[];
      /** @description Failures, losses and other incidents, in the order of time. */
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
         * @description Device or task that it happened to.
         * @example color_lab.station_2
         */
        subject: string;
        /** @description Details; may be empty. */
        detail: string;
      }[];
      planning: {
        /**
         * @description Number of plans that the policy made.
         * @example 120
         */
        plans: number;
        /**
         * @description Real milliseconds of all plans.
         * @example 2.1
         */
        total_ms: number;
        /**
         * @description Real milliseconds of the longest plan.
         * @example 0.2
         */
        max_ms: number;
      };
    };
    /** @description Seconds that a task waited, by cause. */
    WaitingTimes: {
      /**
       * @description Seconds in which tasks that it depends on had not ended.
       * @example 12.5
       */
      dependency: number;
      /**
       * @description Seconds in which units that it needs were used by tasks that had begun before it could start.
       * @example 12.5
       */
      busy: number;
      /**
       * @description Seconds in which units that it needs were given to other tasks after it could have started.
       * @example 12.5
       */
      priority: number;
      /**
       * @description Seconds in which another protocol run kept units that it needs.
       * @example 12.5
       */
      held: number;
      /**
       * @description Seconds in which every device that fits was out of order.
       * @example 12.5
       */
      no_device: number;
      /**
       * @description Seconds in which all units were free: for a lag, for a pause, or because the plan keeps a unit free.
       * @example 12.5
       */
      planned: number;
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
      /** @description Campaign that the protocol run belongs to. */
      campaign: string | null;
      /**
       * @description Priority of the protocol run.
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
       * @description End of the protocol run, in seconds from the beginning; null: never.
       * @example 12.5
       */
      end: number | null;
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
      /** @description Protocol run of the task; null for an on-demand task. */
      protocol_run: string | null;
      /**
       * @description Priority of the task.
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
       * @description Number of attempts.
       * @example 1
       */
      attempts: number;
      /**
       * @description When only devices and resources were missing, in seconds from the beginning; null: never.
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
      /** @description Device handle to `<lab>.<device>`. */
      devices: {
        [key: string]: string;
      };
      /** @description Resource handle to the name of the resource. */
      resources: {
        [key: string]: string;
      };
      waited: components['schemas']['WaitingTimes'];
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
       * @description Seconds in which a protocol run kept the unit between two tasks.
       * @example 12.5
       */
      held: number;
      /**
       * @description Seconds out of order.
       * @example 12.5
       */
      out: number;
      /**
       * @description Share of the makespan in which the unit was in use.
       * @example 0.75
       */
      utilisation: number;
      /** @description In the order of time. */
      timeline: {
        /** @enum {string} */
        what: 'use' | 'hold' | 'out';
        /** @description Task that used the unit, or protocol run that kept it; null: out of order. */
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
       * @description Largest share by which a task takes longer or shorter than expected, from 0 to 0.99. Default: 0.
       * @example 0.1
       */
      jitter?: number;
      /**
       * @description Random seed of durations and failures. The same task draws the same values under every policy. Default: 1.
       * @example 42
       */
      seed?: number;
      /** @description Seconds after which the simulation ends. Default: 2592000, 30 days. */
      horizon?: number;
      /** @description Protocol runs. */
      protocols?: components['schemas']['SimulatedRuns'][];
      /** @description Campaigns. */
      campaigns?: components['schemas']['SimulatedCampaign'][];
      /** @description On-demand tasks. */
      tasks?: components['schemas']['SimulatedTasks'][];
      /**
       * @description Seconds that tasks really take. They replace the expected durations. The name is a task type, `<protocol>.<task>` or the label `<protocol run>/<task>`; the most specific name counts.
       * @example {
       *       "mix_colors": 45,
       *       "color_mixing.mix_colors": 50
       *     }
       */
      durations?: {
        [key: string]: number;
      };
      /** @description Durations that depend on a parameter. `durations` of the same task go first; otherwise the most specific name counts. */
      paces?: components['schemas']['SimulatedPace'][];
      /** @description Attempts that fail. */
      failures?: components['schemas']['SimulatedFailure'][];
      /** @description Calls of devices with twins. A task with calls takes as long as they do, unless `durations` names it. */
      calls?: components['schemas']['SimulatedCall'][];
      /** @description Devices that are out of order for a while. */
      losses?: components['schemas']['SimulatedLoss'][];
    };
    SimulatedScheduler: {
      /**
       * @description Scheduling policy. Default: `greedy`.
       * @example cpsat
       * @enum {string}
       */
      type?: 'greedy' | 'cpsat';
      /**
       * @description Random seed of the searches of `cpsat`. Default: 1.
       * @example 1
       */
      seed?: number;
      /**
       * @description Seconds of one tick of `cpsat`. Default: 0.1.
       * @example 0.1
       */
      resolution?: number;
      /**
       * @description Seconds within which `cpsat` no longer moves a start. Default: 30.
       * @example 30
       */
      frozen_window?: number;
      /**
       * @description Rounds of one search of `cpsat`. They replace the time limit, so that the same seed gives the same report. Default: depends on the size of the plan.
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
       * @description Number of runs. Default: 1.
       * @example 20
       */
      iterations?: number;
      /**
       * @description Most of these runs that may run at the same time. Default: no limit.
       * @example 4
       */
      max_concurrent?: number;
      /**
       * @description When work competes, the higher priority goes first. Default: 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Seconds from the beginning to the first arrival. Default: 0.
       * @example 0
       */
      at?: number;
      /**
       * @description Seconds from one arrival to the next. Default: 0, all arrive at once.
       * @example 60
       */
      every?: number;
      /** @description Parameters as in a submission. The simulation chooses a valid value for a dynamic parameter that is absent. */
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
       * @description Most protocol runs of the campaign that may run at the same time. Default: 1.
       * @example 3
       */
      max_concurrent_protocol_runs?: number;
      /**
       * @description When work competes, the higher priority goes first. Default: 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Seconds from the beginning to its arrival. Default: 0.
       * @example 0
       */
      at?: number;
      /** @description Parameters of every run. The simulation chooses a valid value for a parameter that is absent. */
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
       * @description Number of tasks. Default: 1.
       * @example 3
       */
      count?: number;
      /**
       * @description Seconds from the beginning to the first arrival. Default: 0.
       * @example 0
       */
      at?: number;
      /**
       * @description Seconds from one arrival to the next. Default: 0, all arrive at once.
       * @example 600
       */
      every?: number;
      /**
       * @description Seconds that one task takes. Default: 1.
       * @example 30
       */
      duration?: number;
      /**
       * @description When work competes, the higher priority goes first. Default: 0.
       * @example 5
       */
      priority?: number;
      /**
       * @description Device handle of the task to the device that the task uses.
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
       * @description Resource handle of the task to the name of the resource that the task uses.
       * @example {
       *       "beaker": "beaker_1"
       *     }
       */
      input_resources?: {
        [key: string]: string;
      };
      /** @description Parameter name to value. The simulation chooses a valid value for a parameter that is absent. */
      input_parameters?: {
        [key: string]: unknown;
      };
      /** @description Seconds within which one task must start, as in a submission. Default: 600. */
      allocation_timeout?: number;
    };
    DeviceReference: {
      /** @example color_lab */
      lab_name: string;
      /** @example station_1 */
      name: string;
    };
    SimulatedPace: {
      /**
       * @description Task type, `<protocol>.<task>`, or the label of one task: `<protocol run>/<task>`.
       * @example mix_colors
       */
      task: string;
      /**
       * @description Parameter of the task with a number.
       * @example mixing_time
       */
      parameter: string;
      /**
       * @description Seconds for each unit of the parameter.
       * @example 0.02
       */
      each: number;
      /**
       * @description Seconds that the task takes in any case. Default: 0.
       * @example 0.4
       */
      base?: number;
    };
    SimulatedFailure: {
      /**
       * @description Task type, `<protocol>.<task>`, or the label of one task: `<protocol run>/<task>`.
       * @example mix_colors
       */
      task: string;
      /**
       * @description Probability that an attempt fails, from 0 to 1.
       * @example 0.05
       */
      probability: number;
      /**
       * @description True: a failed attempt has caused physical effects before it fails. The task is then repeated only where that is safe. Default: true.
       * @example false
       */
      effects?: boolean;
    };
    SimulatedCall: {
      /**
       * @description Task type, `<protocol>.<task>`, or the label of one task: `<protocol run>/<task>`. The calls of a task are made one after the other.
       * @example heat_sample
       */
      task: string;
      /**
       * @description Handle of the device in the task.
       * @example bath
       */
      device: string;
      /**
       * @description Function that `init_parameters.functions` of the device declares.
       * @example set_target
       */
      function: string;
      /** @description Arguments. `{name}` is the input parameter of the task with this name. */
      arguments?: {
        [key: string]: unknown;
      };
      /** @description Values of the state of the twin, by name: the task waits after the call until all are reached. */
      until?: {
        [key: string]: unknown;
      };
      /**
       * @description Output parameter of the task that gets the result.
       * @example temperature
       */
      output?: string;
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
       * @description Seconds until the device can be used again. Default: for ever.
       * @example 120
       */
      for?: number;
    };
    WhatIfRecord: {
      /**
       * Format: date-time
       * @description The moment that the estimate describes.
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
       * @description When the first task would start; null: never.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_start: string | null;
      /**
       * Format: date-time
       * @description When the run would be completed; null: never.
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
        /** @description Device handle to `<lab>.<device>`. */
        devices: {
          [key: string]: string;
        };
        /** @description Resource handle to the name of the resource. */
        resources: {
          [key: string]: string;
        };
        /**
         * Format: date-time
         * @description When the task would start; null: never.
         * @example 2026-11-20T09:30:00.000Z
         */
        estimated_start: string | null;
        /**
         * Format: date-time
         * @description When the task would end; null: never.
         * @example 2026-11-20T09:30:00.000Z
         */
        estimated_end: string | null;
      }[];
      /** @description Other work that is under way. */
      others: {
        /** @enum {string} */
        kind: 'campaign' | 'protocol_run' | 'task';
        /**
         * @description Name of the work.
         * @example sweep_run_3
         */
        name: string;
        /** @description Campaign that the protocol run belongs to. */
        campaign: string | null;
        /**
         * Format: date-time
         * @description When the work would be completed without this run; null: never.
         * @example 2026-11-20T09:30:00.000Z
         */
        without: string | null;
        /**
         * Format: date-time
         * @description When the work would be completed with this run; null: never.
         * @example 2026-11-20T09:30:00.000Z
         */
        with: string | null;
        /**
         * @description Seconds; negative: earlier; null: not known.
         * @example 3.5
         */
        delay: number | null;
      }[];
      /** @description Why the run would not end, and what the estimate does not include. */
      notes: string[];
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
       * @description Label of the owner of the work. Default: empty.
       * @example ada
       */
      owner?: string;
      /**
       * @description When work competes, the higher priority goes first. Default: 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Task name to parameter name to value. Every `svc_dynamic` parameter of the protocol needs a value.
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
       * @description Task name to what the service does about its failures. It overrides the protocol.
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
       * @description True: resumes the protocol run of this name that failed or was cancelled. It keeps its first submission and its completed tasks. Default: false.
       * @example false
       */
      resume?: boolean;
      /** @description Free object kept with the record. */
      meta?: Record<string, unknown>;
    };
    TaskFailurePolicy: {
      /**
       * @description Seconds that one attempt may run. After that the service stops the attempt, and the attempt has failed. Default: no limit.
       * @example 600
       */
      timeout?: number;
      /** @description Tries the task again after a failure, but only if every device call of the attempt was a query or idempotent, or if the task type declares `retry_safe: true`. Default: no retry. */
      retry?: components['schemas']['RetryPolicy'];
      /**
       * @description When the task has failed and is not tried again: `fail_run` fails the run, `skip` continues with the tasks that do not depend on it, `ask` asks a person. Default: `fail_run`.
       * @example ask
       * @enum {string}
       */
      on_failure?: 'fail_run' | 'skip' | 'ask';
    };
    RetryPolicy: {
      /**
       * @description Number of attempts in all, the first one included.
       * @example 3
       */
      attempts: number;
      /**
       * @description Seconds before the second attempt. The pause doubles before each further attempt. Default: 1.
       * @example 5
       */
      backoff?: number;
    };
    SubmissionEstimate: {
      /**
       * Format: date-time
       * @description The moment that the estimate describes.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /** @enum {string} */
      scheduler: 'greedy' | 'cpsat';
      /**
       * Format: date-time
       * @description When the first task would start; null: never, or not known.
       * @example 2026-11-20T09:30:00.000Z
       */
      starts_at: string | null;
      /**
       * Format: date-time
       * @description When all of the work would be completed; null: never, or not known.
       * @example 2026-11-20T09:30:00.000Z
       */
      ends_at: string | null;
      /**
       * @description Average seconds from the start of a run to its end, or seconds of the task; null: no run would end.
       * @example 2.3
       */
      seconds_per_run: number | null;
      /**
       * @description Number of runs that were simulated; 0 for a task.
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
         * @description When the task would start; null: never.
         * @example 2026-11-20T09:30:00.000Z
         */
        starts_at: string | null;
        /**
         * Format: date-time
         * @description When the task would end; null: never.
         * @example 2026-11-20T09:30:00.000Z
         */
        ends_at: string | null;
        waited: components['schemas']['WaitingTimes'];
      }[];
      /** @description Why a part of the estimate is not known; null: all of it is known. */
      reason: string | null;
    };
    ProtocolRunRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Label of the owner of the work.
       * @example ada
       */
      owner: string;
      /**
       * @description When work competes, the higher priority goes first.
       * @example 0
       */
      priority: number;
      reason: components['schemas']['Reason'] | null;
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /** @description Content hash of the definitions that the work was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description When a person asked to cancel the work that has not stopped yet; else null.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When the service accepted the work.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first part of the work started.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When the work reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description When the work, or the work that it belongs to, was archived; null: it is not archived.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /** @description Task name to what the submission says about its failures. It overrides the protocol. */
      failure_policy: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /**
       * Format: date-time
       * @description When a person or a failed run paused it; null: it is not paused.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * Format: date-time
       * @description When the work is expected to end; null: not known, or the work has ended.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
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
       * @description Campaign that the protocol run belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /** @description Task name to parameter name to value. */
      parameters: {
        [key: string]: {
          [key: string]: unknown;
        };
      };
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      /** @description The tasks, in the order of the protocol. */
      tasks: components['schemas']['TaskRunRecord'][];
    };
    /** @description Why a record is in its state. */
    Reason: {
      /**
       * @description Stable identifier.
       * @example task_failed
       */
      code: string;
      /** @description The reason in words. */
      message: string;
      /** @description Stack of the author's code. It has paths inside the package only. */
      stack?: string;
    };
    TaskRunRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Label of the owner of the work.
       * @example ada
       */
      owner: string;
      /**
       * @description When work competes, the higher priority goes first.
       * @example 0
       */
      priority: number;
      reason: components['schemas']['Reason'] | null;
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /** @description Content hash of the definitions that the work was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description When a person asked to cancel the work that has not stopped yet; else null.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When the service accepted the work.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first part of the work started.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When the work reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description When the work, or the work that it belongs to, was archived; null: it is not archived.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /**
       * @description Name in the protocol, or name of the on-demand task.
       * @example mix_colors
       */
      name: string;
      /**
       * @description Task type.
       * @example mix_colors
       */
      type: string;
      /**
       * @description Protocol run that the task belongs to; null for an on-demand task.
       * @example mix_1
       */
      protocol_run: string | null;
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
      /** @description Device handle to the device that the task got. */
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
      /** @description File handle to the file that the task got from another task. A task of a protocol run has files once it has started. */
      input_files: {
        [key: string]: components['schemas']['InputFileRecord'];
      };
      /** @description Parameter name to value; null until the task has completed. */
      output_parameters: {
        [key: string]: unknown;
      } | null;
      /** @description Resource handle to the resource as the task left it. */
      output_resources: {
        [key: string]: components['schemas']['ResourceValue'];
      } | null;
      /** @description Files that the task produced. */
      output_files: components['schemas']['FileRecord'][];
      /**
       * @description Number of the latest attempt, from 1; 0 before the first attempt.
       * @example 1
       */
      attempt: number;
      /**
       * @description Attempts that began and failed since the protocol run or a person last queued the task.
       * @example 0
       */
      failures: number;
      /**
       * Format: date-time
       * @description For a task that waits after a failure: the task does not start again before this moment.
       * @example 2026-11-20T09:30:00.000Z
       */
      retry_at: string | null;
      /**
       * @description Seconds that the task started later than `max_lag` after its dependencies; null: in time, or no such lag.
       * @example 2.5
       */
      late_by_s: number | null;
      /**
       * @description Computer that the latest attempt ran on.
       * @example svc_computer
       */
      computer: string | null;
      /** @description Content hash of the code of the task; null: not known. */
      code_hash: string | null;
      /** @description What really executed the code; null: not known. */
      runtime: {
        /**
         * @description What executes the code.
         * @enum {string}
         */
        name: 'node' | 'python';
        /**
         * @description Version of Node or Python, as the process of the code said; null: it did not say.
         * @example 3.11.2
         */
        version: string | null;
        /** @description SHA-256 of the lock of the libraries from PyPI; null: the code has none. */
        environment: string | null;
      } | null;
      /**
       * @description Seconds within which an on-demand task must start.
       * @example 600
       */
      allocation_timeout: number | null;
      failure_policy: components['schemas']['TaskFailurePolicy'];
      /**
       * Format: date-time
       * @description When all tasks that this task depends on were done.
       * @example 2026-11-20T09:30:00.000Z
       */
      queued_at: string | null;
    };
    ResourceValue: {
      /**
       * @description Name of the resource.
       * @example beaker_1
       */
      name: string;
      /**
       * @description Resource type.
       * @example beaker
       */
      type: string;
      /** @description Metadata, for example the capacity. */
      meta: {
        [key: string]: unknown;
      };
    };
    InputFileRecord: {
      /**
       * @description Name that the task gave the file.
       * @example image.png
       */
      name: string;
      /**
       * @description Size in bytes.
       * @example 1024
       */
      size: number;
      /** @description SHA-256 of the content, hexadecimal. */
      sha256: string;
      /**
       * @description Media type that belongs to the file extension.
       * @example image/png
       */
      media_type: string;
      /**
       * @description `<task run>/<attempt>/<file name>`, with the id of the task run that produced the file.
       * @example 0190c0de-0000-7000-8000-000000000001/1/image.png
       */
      id: string;
    };
    FileRecord: {
      /**
       * @description Name that the task gave the file.
       * @example image.png
       */
      name: string;
      /**
       * @description Size in bytes.
       * @example 1024
       */
      size: number;
      /** @description SHA-256 of the content, hexadecimal. */
      sha256: string;
      /**
       * @description Media type that belongs to the file extension.
       * @example image/png
       */
      media_type: string;
    };
    ProtocolRunSummary: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Label of the owner of the work.
       * @example ada
       */
      owner: string;
      /**
       * @description When work competes, the higher priority goes first.
       * @example 0
       */
      priority: number;
      reason: components['schemas']['Reason'] | null;
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /** @description Content hash of the definitions that the work was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description When a person asked to cancel the work that has not stopped yet; else null.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When the service accepted the work.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first part of the work started.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When the work reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description When the work, or the work that it belongs to, was archived; null: it is not archived.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /** @description Task name to what the submission says about its failures. It overrides the protocol. */
      failure_policy: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /**
       * Format: date-time
       * @description When a person or a failed run paused it; null: it is not paused.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * Format: date-time
       * @description When the work is expected to end; null: not known, or the work has ended.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
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
       * @description Campaign that the protocol run belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /** @description Task name to parameter name to value. */
      parameters: {
        [key: string]: {
          [key: string]: unknown;
        };
      };
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
    };
    OperatorNote: {
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    ProtocolRunChange: {
      /**
       * @description When work competes, the higher priority goes first. The scheduler uses the new priority at its next decision. Running tasks are not interrupted.
       * @example 5
       */
      priority?: number;
      /**
       * @description Task name to parameter name to value. Parameters that are not named stay as they are. Allowed for tasks whose first attempt has not begun.
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
       * @description Label of the owner of the work. Default: empty.
       * @example ada
       */
      owner?: string;
      /**
       * @description When work competes, the higher priority goes first. Default: 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Number of protocol runs; 0: no limit.
       * @example 12
       */
      max_protocol_runs: number;
      /**
       * @description Most protocol runs of the campaign that may run at the same time. Default: 1.
       * @example 3
       */
      max_concurrent_protocol_runs?: number;
      /**
       * @description True: the optimizer of the protocol proposes dynamic parameters for each run. They override the parameters that are given here. Default: false.
       * @example false
       */
      optimize?: boolean;
      /**
       * Format: ipv4
       * @description Address of the computer of the optimizer. Default: 127.0.0.1.
       * @example 127.0.0.1
       */
      optimizer_ip?: string;
      /** @description Parameters of every run. */
      global_parameters?: {
        [key: string]: Record<string, unknown>;
      };
      /** @description Parameters for each run; they override the global ones. The list has exactly `max_protocol_runs` entries. An empty list with `max_protocol_runs` 0 makes a campaign to which changes add the runs. With `optimize` it may have fewer, and an entry with all inputs of the optimizer is the trial of its run. */
      protocol_run_parameters?: {
        [key: string]: Record<string, unknown>;
      }[];
      /**
       * @description Task name to what the service does about its failures. It overrides the protocol.
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
       * @description True: resumes the campaign of this name that failed or was cancelled. It keeps its first submission and its completed tasks. Default: false.
       * @example false
       */
      resume?: boolean;
      /**
       * @description When a run has failed: `stop` fails the campaign, `continue` starts the next run, `pause` waits for a person. Default: `stop`.
       * @example continue
       * @enum {string}
       */
      on_run_failure?: 'stop' | 'continue' | 'pause';
      /**
       * @description The campaign fails when more runs than this have failed. Default: no limit.
       * @example 3
       */
      max_failures?: number;
      /** @description Free object. Its field `optimizer_overrides` overrides the arguments and the runtime parameters of the optimizer. When a campaign is resumed, new overrides take precedence over all earlier values. */
      meta?: Record<string, unknown>;
    };
    CampaignRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Label of the owner of the work.
       * @example ada
       */
      owner: string;
      /**
       * @description When work competes, the higher priority goes first.
       * @example 0
       */
      priority: number;
      reason: components['schemas']['Reason'] | null;
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /** @description Content hash of the definitions that the work was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description When a person asked to cancel the work that has not stopped yet; else null.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When the service accepted the work.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first part of the work started.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When the work reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description When the work, or the work that it belongs to, was archived; null: it is not archived.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /** @description Task name to what the submission says about its failures. It overrides the protocol. */
      failure_policy: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /**
       * Format: date-time
       * @description When a person or a failed run paused it; null: it is not paused.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * Format: date-time
       * @description When the work is expected to end; null: not known, or the work has ended.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
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
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      /**
       * @description Number of protocol runs; 0: no limit.
       * @example 12
       */
      max_protocol_runs: number;
      /**
       * @description Most protocol runs that may run at the same time.
       * @example 3
       */
      max_concurrent_protocol_runs: number;
      /** @description True: an optimizer proposes parameters. */
      optimize: boolean;
      /**
       * @description Address of the computer of the optimizer.
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
      /**
       * @description What the service does when a run has failed.
       * @enum {string}
       */
      on_run_failure: 'stop' | 'continue' | 'pause';
      /**
       * @description The campaign fails when more runs than this have failed; null: no limit.
       * @example 3
       */
      max_failures: number | null;
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
      /** @description Parameters for each run, as they were submitted. */
      protocol_run_parameters:
        | {
            [key: string]: {
              [key: string]: unknown;
            };
          }[]
        | null;
    };
    /** @description What is kept of the optimizer of a campaign; `failure`: why no further trials can be made. */
    KeptOptimizer: {
      /** @description Parameters that the optimizer proposes. */
      input_names: string[];
      /** @description Results that the optimizer receives. */
      output_names: string[];
      /** @description Further parameters whose values the optimizer receives with each result. */
      additional_names: string[];
      fields: components['schemas']['SettingField'][];
      /** @description Values of the parameters that may be changed while the optimizer runs, by name. */
      runtime_params: {
        [key: string]: unknown;
      };
      /** @description Constructor arguments of the optimizer, without secrets. */
      arguments: {
        [key: string]: unknown;
      };
      insights: {
        /** @description Identifier of the insight. */
        id: string;
        /** @description Text of the insight. */
        text: string;
        /**
         * @description Person who gave the insight.
         * @example ada
         */
        by: string;
        /**
         * @description When the person gave it, in milliseconds since 1970.
         * @example 1795000000000
         */
        at: number;
        /** @description True: a suggestion that was made with the insight has succeeded. */
        used: boolean;
      }[];
      /** @description The best rows measured: one row, or the Pareto front; null while the campaign runs. */
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
        /** @description The cause in words. */
        message: string;
      } | null;
      /** @description What really executed the code; null: not known. */
      runtime: {
        /**
         * @description What executes the code.
         * @enum {string}
         */
        name: 'node' | 'python';
        /**
         * @description Version of Node or Python, as the process of the code said; null: it did not say.
         * @example 3.11.2
         */
        version: string | null;
        /** @description SHA-256 of the lock of the libraries from PyPI; null: the code has none. */
        environment: string | null;
      } | null;
    };
    /** @description A setting as a form shows it. */
    SettingField: {
      /**
       * @description Name of the setting.
       * @example p_ai
       */
      key: string;
      /**
       * @description How a form shows the setting.
       * @enum {string}
       */
      type: 'checkbox' | 'number' | 'text' | 'select';
      /** @description A boolean, number, text or null. */
      default: unknown;
      /** @description True: the setting may be changed while the campaign runs. */
      runtime: boolean;
      /** @description The options of a `select`. */
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
      /** @description What the setting is for. */
      description?: string;
    };
    CampaignSummary: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Label of the owner of the work.
       * @example ada
       */
      owner: string;
      /**
       * @description When work competes, the higher priority goes first.
       * @example 0
       */
      priority: number;
      reason: components['schemas']['Reason'] | null;
      /** @description Free object kept with the record. */
      meta: {
        [key: string]: unknown;
      };
      /** @description Content hash of the definitions that the work was accepted with. */
      definition_hash: string;
      /**
       * Format: date-time
       * @description When a person asked to cancel the work that has not stopped yet; else null.
       * @example 2026-11-20T09:30:00.000Z
       */
      cancel_requested_at: string | null;
      /**
       * Format: date-time
       * @description When the service accepted the work.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the first part of the work started.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When the work reached its last state.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description When the work, or the work that it belongs to, was archived; null: it is not archived.
       * @example 2026-11-20T09:30:00.000Z
       */
      archived_at: string | null;
      /** @description Task name to what the submission says about its failures. It overrides the protocol. */
      failure_policy: {
        [key: string]: components['schemas']['TaskFailurePolicy'];
      };
      /**
       * Format: date-time
       * @description When a person or a failed run paused it; null: it is not paused.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * Format: date-time
       * @description When the work is expected to end; null: not known, or the work has ended.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
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
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      /**
       * @description Number of protocol runs; 0: no limit.
       * @example 12
       */
      max_protocol_runs: number;
      /**
       * @description Most protocol runs that may run at the same time.
       * @example 3
       */
      max_concurrent_protocol_runs: number;
      /** @description True: an optimizer proposes parameters. */
      optimize: boolean;
      /**
       * @description Address of the computer of the optimizer.
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
      /**
       * @description What the service does when a run has failed.
       * @enum {string}
       */
      on_run_failure: 'stop' | 'continue' | 'pause';
      /**
       * @description The campaign fails when more runs than this have failed; null: no limit.
       * @example 3
       */
      max_failures: number | null;
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
    };
    CampaignResumption: {
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
      /**
       * @description Settings of the optimizer. They override the settings of the submission and all later changes. The inputs, outputs and constraints of the optimizer cannot be changed any more.
       * @example {
       *       "p_ai": 0.25
       *     }
       */
      optimizer_overrides?: {
        [key: string]: unknown;
      };
    };
    CampaignChange: {
      /**
       * @description When work competes, the higher priority goes first. The scheduler uses the new priority at its next decision. Running tasks are not interrupted.
       * @example 5
       */
      priority?: number;
      /**
       * @description Number of protocol runs in all, at least the number of runs that have begun. 0: no limit; if `protocol_run_parameters` lists the runs, the campaign waits for further entries.
       * @example 20
       */
      max_protocol_runs?: number;
      /**
       * @description Most protocol runs of the campaign that may run at the same time. Default: 1.
       * @example 3
       */
      max_concurrent_protocol_runs?: number;
      /** @description Parameters of every run that has not begun: task name to parameter name to value. Parameters that are not named stay as they are. */
      global_parameters?: {
        [key: string]: Record<string, unknown>;
      };
      /** @description The whole list of parameters for each run. It replaces the present list. The entries of runs that have begun must stay as they are. An optimizer must accept the other entries. With `max_protocol_runs` 0 the list can grow while the campaign runs. */
      protocol_run_parameters?: {
        [key: string]: Record<string, unknown>;
      }[];
    };
    /** @description Values of the parameters that may be changed while the optimizer runs, by name. */
    RuntimeParameters: {
      [key: string]: unknown;
    };
    InsightRecord: {
      /** @description Identifier of the insight. */
      id: string;
      /**
       * @description Text of the insight.
       * @example Yellow stains the beaker: stay below 12.
       */
      text: string;
      /**
       * @description Person who gave the insight.
       * @example ada
       */
      by: string;
      /**
       * Format: date-time
       * @description When the person gave the insight.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /** @description True: a suggestion that was made with the insight has succeeded. */
      used: boolean;
    };
    InsightSubmission: {
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
      /**
       * @description What the AI is to know. The insight waits until a suggestion that was made with it succeeds.
       * @example Yellow stains the beaker: stay below 12.
       */
      insight: string;
    };
    /** @description The optimizer of a campaign. No secret is in it. */
    OptimizerRecord: {
      /** @description Parameters that the optimizer proposes. */
      input_names: string[];
      /** @description Results that the optimizer receives. */
      output_names: string[];
      /** @description Further parameters whose values the optimizer receives with each result. */
      additional_names: string[];
      fields: components['schemas']['SettingField'][];
      /** @description Values of the parameters that may be changed while the optimizer runs, by name. */
      runtime_params: {
        [key: string]: unknown;
      };
      /** @description Constructor arguments of the optimizer, without secrets. */
      arguments: {
        [key: string]: unknown;
      };
      /**
       * @description Campaign.
       * @example find_teal
       */
      campaign: string;
      /**
       * @description `opening`: the worker makes the optimizer and sends it the measured trials. `ready`: the optimizer can be asked. `waiting`: no worker answers, and the service tries again. `closed`: the service asks nothing of it.
       * @enum {string}
       */
      state: 'opening' | 'ready' | 'waiting' | 'closed';
      reason: {
        /**
         * @description Stable code.
         * @example waiting_for_optimizer
         */
        code: string;
        /** @description The cause in words. */
        message: string;
      } | null;
      /** @description Worker that has the optimizer; null: none has. */
      worker: string | null;
      /** @description Oldest first. */
      insights: components['schemas']['InsightRecord'][];
      /** @description The best rows measured: one row, or the Pareto front; null while the campaign runs. */
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
        /** @description The cause in words. */
        message: string;
      } | null;
      /** @description What really executed the code; null: not known. */
      runtime: {
        /**
         * @description What executes the code.
         * @enum {string}
         */
        name: 'node' | 'python';
        /**
         * @description Version of Node or Python, as the process of the code said; null: it did not say.
         * @example 3.11.2
         */
        version: string | null;
        /** @description SHA-256 of the lock of the libraries from PyPI; null: the code has none. */
        environment: string | null;
      } | null;
      /** @description Trials whose run has not begun, by number. */
      pending: components['schemas']['Trial'][];
      /** @description The latest 50 entries of the journal, newest first. `GET .../optimizer/journal` has all, in pages. */
      journal: components['schemas']['JournalEntry'][];
      /** @description What the model of the optimizer has learnt, with `explain=true`; null: nothing, or not asked for. */
      belief: unknown;
    };
    /** @description The parameters of one run of a campaign. A trial belongs to the number of its run and never moves to another. */
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
      /** @description Values of `ai_additional_parameters`, as far as they are known. */
      additional: {
        [key: string]: unknown;
      };
      /** @description How the parameters were found; `fallback`: why the AI was not used although it was its turn. */
      note: {
        /** @description What the AI wrote about its suggestion. */
        journal?: string;
        /**
         * @description `<provider>:<model>` of the AI.
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
        /** @description Insights that the suggestion was made with. */
        insights?: string[];
        fallback?: {
          /**
           * @description Stable code.
           * @example waiting_for_optimizer
           */
          code: string;
          /** @description The cause in words. */
          message: string;
        };
        /** @description True: values were changed a little to fit the domain. */
        adjusted?: boolean;
        /** @description Time limits that ended a computation early. */
        limits_used?: string[];
        /** @description Present if `batch` is `schedule_aware` and another row had a greater expected improvement. */
        schedule?: {
          /**
           * @description The reason in words.
           * @example chosen because it finishes 12 min earlier at 97 % of the expected improvement
           */
          reason: string;
          /**
           * @description Its expected improvement, as a share of the greatest one.
           * @example 0.97
           */
          worth: number;
          /**
           * @description Expected seconds from the moment at which its run may begin to the end of the run.
           * @example 1800
           */
          seconds: number;
          /**
           * @description The same for the row with the greatest expected improvement.
           * @example 2520
           */
          plain_seconds: number;
        };
      };
      /** @description Seconds that each task of its run took, by name of the task; null until the run has completed. */
      durations?: {
        [key: string]: number;
      } | null;
    };
    /** @description How the parameters of one run were found. */
    JournalEntry: {
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
         * @description `<provider>:<model>` of the AI.
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
        /** @description Insights that the suggestion was made with. */
        insights?: string[];
        fallback?: {
          /**
           * @description Stable code.
           * @example waiting_for_optimizer
           */
          code: string;
          /** @description The cause in words. */
          message: string;
        };
        /** @description True: values were changed a little to fit the domain. */
        adjusted?: boolean;
        /** @description Time limits that ended a computation early. */
        limits_used?: string[];
        /** @description Present if `batch` is `schedule_aware` and another row had a greater expected improvement. */
        schedule?: {
          /**
           * @description The reason in words.
           * @example chosen because it finishes 12 min earlier at 97 % of the expected improvement
           */
          reason: string;
          /**
           * @description Its expected improvement, as a share of the greatest one.
           * @example 0.97
           */
          worth: number;
          /**
           * @description Expected seconds from the moment at which its run may begin to the end of the run.
           * @example 1800
           */
          seconds: number;
          /**
           * @description The same for the row with the greatest expected improvement.
           * @example 2520
           */
          plain_seconds: number;
        };
      };
    };
    /** @description The optimizer of a protocol before any campaign uses it. */
    OptimizerDescription: {
      /** @description Parameters that the optimizer proposes. */
      input_names: string[];
      /** @description Results that the optimizer receives. */
      output_names: string[];
      /** @description Further parameters whose values the optimizer receives with each result. */
      additional_names: string[];
      fields: components['schemas']['SettingField'][];
      /** @description Values of the parameters that may be changed while the optimizer runs, by name. */
      runtime_params: {
        [key: string]: unknown;
      };
      /** @description Constructor arguments of the optimizer, without secrets. */
      arguments: {
        [key: string]: unknown;
      };
    };
    TaskSubmission: {
      /**
       * @description Name, unique among queued and running on-demand tasks.
       * @example rinse_1
       */
      name: string;
      /**
       * @description Type name of the task.
       * @example clean_beaker
       */
      type: string;
      /**
       * @description Label of the owner of the work. Default: empty.
       * @example ada
       */
      owner?: string;
      /**
       * @description Device handle of the task to the device that the task uses.
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
       * @description Resource handle of the task to the name of the resource that the task uses.
       * @example {
       *       "beaker": "beaker_1"
       *     }
       */
      input_resources?: {
        [key: string]: string;
      };
      /**
       * @description When work competes, the higher priority goes first. Default: 0.
       * @example 0
       */
      priority?: number;
      /**
       * @description Seconds within which the task must start. After that the service records the task as failed. Default: 600.
       * @example 600
       */
      allocation_timeout?: number;
      /**
       * @description Seconds that one attempt may run. After that the service stops the attempt, and the attempt has failed. Default: no limit.
       * @example 600
       */
      timeout?: number;
      /** @description Tries the task again after a failure, under the same conditions as in a protocol. */
      retry?: components['schemas']['RetryPolicy'];
      /** @description Free object kept with the record. */
      meta?: Record<string, unknown>;
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
       * @description Protocol run that the task belongs to; null for an on-demand task.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Number of the attempt within the task, from 1.
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
       * @description Computer that the attempt was sent to.
       * @example svc_computer
       */
      computer: string;
      /** @description Device handle to the device that the attempt had. */
      devices: {
        [key: string]: components['schemas']['DeviceReference'];
      };
      /** @description What the attempt did to devices, as its agent reported at the end; null: not known. */
      calls: {
        /**
         * @description Number of calls of kind `effect` that began.
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
          /** @description Arguments of the call. A secret one is masked, and long ones are cut. Absent: not recorded. */
          arguments?: {
            [key: string]: unknown;
          };
        } | null;
      } | null;
      /** @description What really executed the code; null: not known. */
      runtime: {
        /**
         * @description What executes the code.
         * @enum {string}
         */
        name: 'node' | 'python';
        /**
         * @description Version of Node or Python, as the process of the code said; null: it did not say.
         * @example 3.11.2
         */
        version: string | null;
        /** @description SHA-256 of the lock of the libraries from PyPI; null: the code has none. */
        environment: string | null;
      } | null;
      /**
       * Format: date-time
       * @description When the service stops the attempt, and the attempt has failed; null: there is no limit.
       * @example 2026-11-20T09:30:00.000Z
       */
      deadline_at: string | null;
      /**
       * Format: date-time
       * @description When the orchestrator decided to start the attempt.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When its process ended, by its agent; null: it has not ended, or nobody knows when.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
    };
    TaskChange: {
      /**
       * @description When work competes, the higher priority goes first. The scheduler uses the new priority at its next decision. Running tasks are not interrupted.
       * @example 5
       */
      priority?: number;
      /**
       * @description Parameter name to value. Parameters that are not named stay as they are. Allowed until the first attempt of the task begins; in a protocol run only for dynamic parameters.
       * @example {
       *       "duration": 3
       *     }
       */
      input_parameters?: {
        [key: string]: unknown;
      };
    };
    TaskFileRecord: {
      /**
       * @description Name that the task gave the file.
       * @example image.png
       */
      name: string;
      /**
       * @description Size in bytes.
       * @example 1024
       */
      size: number;
      /** @description SHA-256 of the content, hexadecimal. */
      sha256: string;
      /**
       * @description Media type that belongs to the file extension.
       * @example image/png
       */
      media_type: string;
      /** @description Id of the task run that produced the file. */
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
       * @description Label of the owner of the work.
       * @example ada
       */
      owner: string;
      /**
       * @description Number of the attempt that produced the file.
       * @example 1
       */
      attempt: number;
      /**
       * Format: date-time
       * @description When the task was created.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
    };
    /** @description A call of a function that may change something, as the agent of the device recorded it. */
    EffectRecord: {
      /**
       * @description Identifier of the call.
       * @example 0190c0de-0000-7000-8000-00000000000b/1
       */
      id: string;
      /**
       * @description Laboratory of the device.
       * @example color_lab
       */
      lab: string;
      /**
       * @description Name of the device within the laboratory.
       * @example robot_arm
       */
      device: string;
      /**
       * @description Computer of the device.
       * @example svc_computer
       */
      computer: string;
      /**
       * @description Function that was called.
       * @example move
       */
      function: string;
      /**
       * @description `idempotent`: the call may be repeated.
       * @enum {string}
       */
      kind: 'effect' | 'idempotent';
      /** @description Arguments with the defaults of those that were left out. Secret ones are `***`. */
      arguments: {
        [key: string]: unknown;
      };
      /**
       * @description `running`: no end is known yet. `unknown`: whether it took effect cannot be known. `not_begun`: it was withdrawn before the device got it.
       * @enum {string}
       */
      state: 'running' | 'completed' | 'failed' | 'not_begun' | 'unknown';
      /** @description What the function returned; null: nothing, or the call did not end so. A long value is cut. */
      result: unknown;
      /** @description Why the call failed; null: it did not. */
      error: {
        /**
         * @description Code of the error.
         * @example device_error
         */
        code: string;
        /**
         * @description What went wrong.
         * @example the gripper is not closed
         */
        message: string;
        /**
         * @description What is known of the effect: `none`, `maybe` or `done`.
         * @example maybe
         */
        effect: string;
      } | null;
      /**
       * @description Person who called; null: a task called.
       * @example ada
       */
      person: string | null;
      /** @description Attempt that called; null: a person called. */
      attempt_id: string | null;
      /**
       * @description Name of the task that called.
       * @example mix_colors
       */
      task: string | null;
      /**
       * @description Protocol run of that task.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Campaign of that protocol run.
       * @example sweep
       */
      campaign: string | null;
      /**
       * Format: date-time
       * @description When the call began.
       * @example 2026-11-20T09:30:00.000Z
       */
      began_at: string;
      /**
       * Format: date-time
       * @description When the call ended; null: no end is known.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * @description Milliseconds by which the clock of the computer was ahead when the record was stored.
       * @example 12
       */
      clock_offset_ms: number;
      /** @description Content hash of the code of the device; null: not known. */
      code_hash: string | null;
      /** @description What really executed the code; null: not known. */
      runtime: {
        /**
         * @description What executes the code.
         * @enum {string}
         */
        name: 'node' | 'python';
        /**
         * @description Version of Node or Python, as the process of the code said; null: it did not say.
         * @example 3.11.2
         */
        version: string | null;
        /** @description SHA-256 of the lock of the libraries from PyPI; null: the code has none. */
        environment: string | null;
      } | null;
      /**
       * @description Package of that code.
       * @example color_lab
       */
      package: string | null;
      /**
       * @description Version of the package when the code was loaded.
       * @example 1.4.0
       */
      package_version: string | null;
      /**
       * @description Git commit of the package when the code was loaded.
       * @example 9fceb02d0ae598e95dc970b74767f19372d61af8
       */
      package_commit: string | null;
      /** @description Whether files of the package differed from that commit. */
      package_modified: boolean | null;
    };
    /** @description An act of a person. The service keeps it for ever. */
    AuditRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description Number of the entry, from 1, without gaps.
       * @example 1
       */
      seq: number;
      /**
       * Format: date-time
       * @description When the person acted.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /**
       * @description Person who acted.
       * @example ada
       */
      by: string;
      /**
       * @description How the person was identified; null: the act did not come through the gateway.
       * @enum {string|null}
       */
      kind: 'local' | 'token' | 'oidc' | null;
      /**
       * @description What the person did.
       * @example campaign.pause
       */
      action: string;
      /**
       * @description The subject of the act.
       * @example campaign/sweep
       */
      subject: string;
      /** @description Details of the act. */
      detail: {
        [key: string]: unknown;
      };
      /** @description Id of the request in the log. */
      request_id: string | null;
      /**
       * @description Address that the request came from.
       * @example 127.0.0.1
       */
      ip: string | null;
      /** @description SHA-256 over the hash of the entry before and this entry, hexadecimal. */
      hash: string;
    };
    ResourceRecord: {
      /**
       * @description Name of the resource.
       * @example beaker_1
       */
      name: string;
      /**
       * @description Resource type.
       * @example beaker
       */
      type: string;
      /** @description Metadata, for example the capacity. */
      meta: {
        [key: string]: unknown;
      };
      /**
       * @description Laboratory.
       * @example color_lab
       */
      lab: string;
      /**
       * @description Task that uses the resource: `<protocol run>/<task>`, or an on-demand task; null: none.
       * @example mix_1/mix_colors
       */
      used_by: string | null;
      /**
       * @description Protocol run that keeps the resource between its tasks; null: none.
       * @example mix_1
       */
      held_by: string | null;
      /**
       * Format: date-time
       * @description Since when that task or run has the resource; null: the resource is free.
       * @example 2026-11-20T09:30:00.000Z
       */
      since: string | null;
    };
    ResourceChange: {
      /**
       * @description Metadata to set, by name. A value replaces that of the same name; null removes it.
       * @example {
       *       "ml": 12.5,
       *       "label": null
       *     }
       */
      meta: {
        [key: string]: unknown;
      };
      /**
       * @description Reason, for the history of the resource and for the audit.
       * @example weighed by hand
       */
      reason?: string;
      /**
       * @description True: changes the data also while a task or a protocol run has the resource; this needs a reason. Default: false.
       * @example false
       */
      force?: boolean;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    ResourceReset: {
      /**
       * @description Reason, for the history of the resource and for the audit.
       * @example washed by hand
       */
      reason?: string;
      /**
       * @description True: resets the resource also while a task or a protocol run has it; this needs a reason. If a running task holds the resource, the values that the task reports when it ends replace the reset. Default: false.
       * @example false
       */
      force?: boolean;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    /** @description A use of a resource by a task, or a change of its data by a person. */
    ResourceUse: {
      /**
       * @description `task`: a task used the resource. `reset`: a person reset its data to the lab file. `set`: a person changed its data.
       * @enum {string}
       */
      kind: 'task' | 'reset' | 'set';
      /** @description Id of the task run. For an act of a person this field and those up to `slot` are null. */
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
       * @description Resource handle of the task that the resource filled.
       * @example beaker
       */
      slot: string | null;
      /** @description Metadata when the task got the resource, or before the act of a person. */
      taken: {
        [key: string]: unknown;
      };
      /** @description Metadata after the task or the act of a person; null: the task has not reported any. */
      left: {
        [key: string]: unknown;
      } | null;
      /**
       * @description Person who reset or set the data; null for a task.
       * @example ada
       */
      by: string | null;
      /**
       * @description Reason of the person; null for a task.
       * @example washed by hand
       */
      reason: string | null;
      /**
       * Format: date-time
       * @description When the task started, or when the person acted.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string;
      /**
       * Format: date-time
       * @description When the task ended, or when the person acted.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
    };
    /** @description The deletion of a campaign, a protocol run or an on-demand task. It stays after the work is gone. */
    DeletionRecord: {
      /**
       * @description Id of the deletion.
       * @example 0190c0de-0000-7000-8000-00000000000f
       */
      id: string;
      /**
       * @description What is deleted.
       * @enum {string}
       */
      kind: 'campaign' | 'protocol_run' | 'task_run';
      /**
       * @description Name of the work.
       * @example doubling
       */
      name: string;
      /**
       * @description Id of the work.
       * @example 0190c0de-0000-7000-8000-000000000001
       */
      work_id: string;
      /**
       * @description Owner of the work.
       * @example ada
       */
      owner: string;
      /** @description Laboratories of the work; empty: none, or not known. */
      labs: string[];
      /**
       * @description `files`: the records stay.
       * @enum {string}
       */
      what: 'everything' | 'files';
      /**
       * @description `planned`: it waits and can be taken back. `running`: it has begun. `done`: all is removed. `cancelled`: it was taken back.
       * @enum {string}
       */
      state: 'planned' | 'running' | 'done' | 'cancelled';
      /**
       * @description Reason.
       * @example a test
       */
      reason: string;
      /**
       * @description Person who asked for it; `service`: it follows from the age of the work.
       * @example ada
       */
      by: string;
      /**
       * Format: date-time
       * @description When it was asked for.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it begins.
       * @example 2026-11-20T09:30:00.000Z
       */
      due_at: string;
      /**
       * Format: date-time
       * @description When it was done or cancelled.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * @description Person who cancelled it.
       * @example ada
       */
      ended_by: string | null;
      removed: components['schemas']['RemovedCounts'] | null;
    };
    RemovedCounts: {
      /**
       * @description Number of task runs.
       * @example 12
       */
      task_runs: number;
      /**
       * @description Number of files.
       * @example 24
       */
      files: number;
      /**
       * @description Size of the files in bytes.
       * @example 48211
       */
      bytes: number;
    };
    DeletionRequest: {
      /**
       * @description Reason, for the audit.
       * @example a test
       */
      reason: string;
      /**
       * @description `everything` (default): records and files. `files`: only the files; the records stay with the size and SHA-256 of each.
       * @enum {string}
       */
      what?: 'everything' | 'files';
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    /** @description A legal hold: while it is in force, the work that it covers cannot be deleted. */
    LegalHoldRecord: {
      /**
       * @description Id of the hold.
       * @example 0190c0de-0000-7000-8000-00000000000e
       */
      id: string;
      /**
       * @description What the hold covers.
       * @enum {string}
       */
      kind: 'campaign' | 'protocol_run' | 'task_run' | 'owner' | 'lab';
      /**
       * @description Name of the work, the owner or the laboratory.
       * @example doubling
       */
      name: string;
      /**
       * @description Reason.
       * @example audit of 2026
       */
      reason: string;
      /**
       * @description Person who added it.
       * @example ada
       */
      by: string;
      /**
       * Format: date-time
       * @description When it was added.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it was released; null: it is in force.
       * @example 2026-11-20T09:30:00.000Z
       */
      released_at: string | null;
      /**
       * @description Person who released it.
       * @example ada
       */
      released_by: string | null;
      /** @description Names of covered work whose deletion had begun when the hold was added. */
      too_late: string[];
    };
    LegalHoldRequest: {
      /**
       * @description What the hold covers: a campaign, a protocol run, the on-demand tasks of a name, all work of an owner or of a laboratory.
       * @enum {string}
       */
      kind: 'campaign' | 'protocol_run' | 'task_run' | 'owner' | 'lab';
      /**
       * @description Name of the work, the owner or the laboratory.
       * @example doubling
       */
      name: string;
      /**
       * @description Reason.
       * @example audit of 2026
       */
      reason: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    /** @description A file that an instrument wrote into a folder of its computer. */
    DeviceFileRecord: {
      /**
       * @description Name that the task gave the file.
       * @example image.png
       */
      name: string;
      /**
       * @description Size in bytes.
       * @example 1024
       */
      size: number;
      /** @description SHA-256 of the content, hexadecimal. */
      sha256: string;
      /**
       * @description Media type that belongs to the file extension.
       * @example image/png
       */
      media_type: string;
      /**
       * @description Identifier of the file.
       * @example 5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f
       */
      id: string;
      /**
       * @description Laboratory of the device.
       * @example color_lab
       */
      lab: string;
      /**
       * @description Name of the device within the laboratory.
       * @example station_1
       */
      device: string;
      /**
       * @description Computer of the device.
       * @example svc_computer
       */
      computer: string;
      /**
       * @description Path below the folder of the instrument.
       * @example run_7/plate.csv
       */
      path: string;
      /**
       * Format: date-time
       * @description When the instrument made it, by the clock of the computer less its offset.
       * @example 2026-11-20T09:30:00.000Z
       */
      made_at: string;
      /**
       * Format: date-time
       * @description When it was changed last, by the same clock.
       * @example 2026-11-20T09:30:00.000Z
       */
      modified_at: string;
      /**
       * Format: date-time
       * @description When the service had all of it.
       * @example 2026-11-20T09:30:00.000Z
       */
      stored_at: string;
      /**
       * @description How its attempt was found: by the time, by the name of the file, or a person said it. Null: it belongs to no attempt.
       * @enum {string|null}
       */
      matched: 'time' | 'name' | 'person' | null;
      /**
       * @description Person who attached it; null: nobody did.
       * @example ada
       */
      attached_by: string | null;
      /**
       * @description Why that person attached it.
       * @example typed the wrong sample id
       */
      reason: string | null;
      /** @description Attempt that it belongs to; null: none. */
      attempt_id: string | null;
      /** @description Task run of that attempt. */
      task_run_id: string | null;
      /**
       * @description Name of the task.
       * @example measure
       */
      task: string | null;
      /**
       * @description Protocol run of the task, if any.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Campaign of the protocol run, if any.
       * @example sweep
       */
      campaign: string | null;
      /**
       * Format: date-time
       * @description When its deletion begins; null: nobody deletes it.
       * @example 2026-11-20T09:30:00.000Z
       */
      delete_due_at: string | null;
      /**
       * @description Person who deletes it, or `service`.
       * @example ada
       */
      delete_by: string | null;
      /**
       * @description Why it is deleted.
       * @example a test of the camera
       */
      delete_reason: string | null;
    };
    DeviceFileAttachment: {
      /**
       * @description Name of the task. The file belongs to its latest attempt then.
       * @example measure
       */
      task: string;
      /**
       * @description Protocol run of the task. Absent: the task is an on-demand task.
       * @example mix_1
       */
      protocol_run?: string;
      /**
       * @description Reason.
       * @example typed the wrong sample id
       */
      reason: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    DeviceFileDeletion: {
      /**
       * @description Reason.
       * @example a test of the camera
       */
      reason: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
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
       * @description Computer whose agent runs the device.
       * @example svc_computer
       */
      computer: string;
      /** @enum {string} */
      state:
        | 'disabled'
        | 'initializing'
        | 'idle'
        | 'busy'
        | 'aborting'
        | 'uncertain'
        | 'restarting'
        | 'faulted'
        | 'unreachable';
      /** @description What is wrong, in words; null when nothing is. */
      detail: string | null;
      /**
       * @description Task run that holds the device: `<protocol run>/<task>`, or the on-demand task.
       * @example mix_1/mix_colors
       */
      held_by: string | null;
      /** @description Who stopped the device and why; null when no emergency stop covers it. */
      halted: string | null;
      /** @description Who took the device out of service and why, or drains its computer; null when it is in service. No task starts on a device out of service. */
      out_of_service: {
        /**
         * @description Person who took the device out of service, or drains its computer.
         * @example ada
         */
        by: string;
        /**
         * @description Reason.
         * @example the gripper is broken
         */
        reason: string;
        /**
         * Format: date-time
         * @description When the person took it out of service.
         * @example 2026-11-20T09:30:00.000Z
         */
        since: string;
        /**
         * Format: date-time
         * @description When it comes back by itself; null: when a person puts it back into service.
         * @example 2026-11-20T09:30:00.000Z
         */
        until: string | null;
      } | null;
      /** @description What is known of an uncertain device; null when the device is in no doubt. */
      doubt: {
        /** @description Identifier of the doubt. */
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
          /** @description Arguments of the call. A secret one is masked. */
          arguments?: {
            [key: string]: unknown;
          };
          /**
           * @description Person who made the call.
           * @example ada
           */
          by?: string;
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
      /** @description The call in progress that may move the device; null: none, as far as is known. */
      doing: {
        /** @description Unique identifier of the call. */
        call_id: string;
        /**
         * @description Function of the device.
         * @example mix
         */
        function: string;
        /** @description Arguments of the call. A long value is cut, and a secret one is masked. */
        arguments: {
          [key: string]: unknown;
        };
        /**
         * Format: date-time
         * @description When the call began.
         * @example 2026-11-20T09:30:00.000Z
         */
        since: string;
        /** @description Attempt that made the call; absent: a person made it. */
        attempt_id?: string;
      } | null;
      /** @description What the agent of an unreachable device said last; null when the device is reachable, or its agent was never heard. */
      last_known: {
        /** @enum {string} */
        state:
          | 'disabled'
          | 'initializing'
          | 'idle'
          | 'busy'
          | 'aborting'
          | 'uncertain'
          | 'restarting'
          | 'faulted'
          | 'unreachable';
        /**
         * Format: date-time
         * @description When the agent was last heard.
         * @example 2026-11-20T09:30:00.000Z
         */
        at: string;
      } | null;
      /** @description What really executed the code; null: not known. */
      runtime: {
        /**
         * @description What executes the code.
         * @enum {string}
         */
        name: 'node' | 'python';
        /**
         * @description Version of Node or Python, as the process of the code said; null: it did not say.
         * @example 3.11.2
         */
        version: string | null;
        /** @description SHA-256 of the lock of the libraries from PyPI; null: the code has none. */
        environment: string | null;
      } | null;
      /**
       * @description Address on its computer at which a debugger may attach to the process of the device. Its time limits are suspended, and nobody knows whether it stands at a breakpoint. Null: none may attach, or not known.
       * @example 127.0.0.1:5678
       */
      debugger: string | null;
      /** @description Functions that can be called by RPC. */
      functions: {
        /**
         * @description Name of the function in calls.
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
         * @description What the function does.
         * @example Doses the pastes and stirs
         */
        description?: string;
        /** @description Parameters by name. The agent checks the arguments of a call against them. */
        parameters?: {
          [key: string]: {
            [key: string]: unknown;
          };
        };
        /** @description True: a call runs at once, also beside an effect in progress. */
        beside?: boolean;
        /** @description Parameters that a task may give without their names, in their order. */
        positional?: string[];
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
       * @description Computer whose agent runs the device.
       * @example svc_computer
       */
      computer: string;
      /** @enum {string} */
      state:
        | 'disabled'
        | 'initializing'
        | 'idle'
        | 'busy'
        | 'aborting'
        | 'uncertain'
        | 'restarting'
        | 'faulted'
        | 'unreachable';
      /** @description What is wrong, in words; null when nothing is. */
      detail: string | null;
      /**
       * @description Task run that holds the device: `<protocol run>/<task>`, or the on-demand task.
       * @example mix_1/mix_colors
       */
      held_by: string | null;
      /** @description Who stopped the device and why; null when no emergency stop covers it. */
      halted: string | null;
      /** @description Who took the device out of service and why, or drains its computer; null when it is in service. No task starts on a device out of service. */
      out_of_service: {
        /**
         * @description Person who took the device out of service, or drains its computer.
         * @example ada
         */
        by: string;
        /**
         * @description Reason.
         * @example the gripper is broken
         */
        reason: string;
        /**
         * Format: date-time
         * @description When the person took it out of service.
         * @example 2026-11-20T09:30:00.000Z
         */
        since: string;
        /**
         * Format: date-time
         * @description When it comes back by itself; null: when a person puts it back into service.
         * @example 2026-11-20T09:30:00.000Z
         */
        until: string | null;
      } | null;
      /** @description What is known of an uncertain device; null when the device is in no doubt. */
      doubt: {
        /** @description Identifier of the doubt. */
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
          /** @description Arguments of the call. A secret one is masked. */
          arguments?: {
            [key: string]: unknown;
          };
          /**
           * @description Person who made the call.
           * @example ada
           */
          by?: string;
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
      /** @description The call in progress that may move the device; null: none, as far as is known. */
      doing: {
        /** @description Unique identifier of the call. */
        call_id: string;
        /**
         * @description Function of the device.
         * @example mix
         */
        function: string;
        /** @description Arguments of the call. A long value is cut, and a secret one is masked. */
        arguments: {
          [key: string]: unknown;
        };
        /**
         * Format: date-time
         * @description When the call began.
         * @example 2026-11-20T09:30:00.000Z
         */
        since: string;
        /** @description Attempt that made the call; absent: a person made it. */
        attempt_id?: string;
      } | null;
      /** @description What the agent of an unreachable device said last; null when the device is reachable, or its agent was never heard. */
      last_known: {
        /** @enum {string} */
        state:
          | 'disabled'
          | 'initializing'
          | 'idle'
          | 'busy'
          | 'aborting'
          | 'uncertain'
          | 'restarting'
          | 'faulted'
          | 'unreachable';
        /**
         * Format: date-time
         * @description When the agent was last heard.
         * @example 2026-11-20T09:30:00.000Z
         */
        at: string;
      } | null;
      /** @description What really executed the code; null: not known. */
      runtime: {
        /**
         * @description What executes the code.
         * @enum {string}
         */
        name: 'node' | 'python';
        /**
         * @description Version of Node or Python, as the process of the code said; null: it did not say.
         * @example 3.11.2
         */
        version: string | null;
        /** @description SHA-256 of the lock of the libraries from PyPI; null: the code has none. */
        environment: string | null;
      } | null;
      /**
       * @description Address on its computer at which a debugger may attach to the process of the device. Its time limits are suspended, and nobody knows whether it stands at a breakpoint. Null: none may attach, or not known.
       * @example 127.0.0.1:5678
       */
      debugger: string | null;
      /** @description Functions that can be called by RPC. `parameters` is null where the device declares none; the arguments are not checked then. */
      functions: {
        /**
         * @description Name of the function in calls.
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
        /** @description What the function does; null when the device does not say. */
        description: string | null;
        /** @description Parameters by name. The agent checks the arguments of a call against them. */
        parameters: {
          [key: string]: {
            [key: string]: unknown;
          };
        } | null;
      }[];
      /** @description What `_report` of the device returns. Present only if the request asks for it. */
      report?: {
        [key: string]: unknown;
      };
    };
    DeviceDisable: {
      /**
       * @description Reason. The service shows it to everybody who waits.
       * @example the gripper is broken
       */
      reason: string;
      /**
       * Format: date-time
       * @description When the device comes back by itself. Default: when a person puts it back.
       * @example 2026-11-23T18:00:00Z
       */
      until?: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    DeviceRestart: {
      /**
       * @description Reason, for the audit.
       * @example the serial cable was loose
       */
      reason: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
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
       * @description State of the connection to the agent. An agent that was never heard is `offline`.
       * @enum {string}
       */
      state: 'online' | 'suspect' | 'offline' | 'draining' | 'incompatible';
      /**
       * @description Why the agent is not online; null when it is.
       * @example it said that it leaves
       */
      reason: string | null;
      /**
       * @description Number of the latest process of the agent; null: it has never registered.
       * @example 3
       */
      incarnation: number | null;
      /**
       * @description Version of the latest process of the agent; null: not known.
       * @example 0.1.0
       */
      version: string | null;
      /** @description Versions of the protocol between agents and orchestrator that the latest process of the agent speaks; null: not known. Agents and orchestrator work together when they have a version in common. */
      protocol: {
        /**
         * @description Oldest version.
         * @example 1
         */
        min: number;
        /**
         * @description Newest version.
         * @example 1
         */
        max: number;
      } | null;
      /**
       * @description Operating system and processor of the computer; null: not known.
       * @example linux-x64
       */
      platform?: string | null;
      /**
       * @description Address of the computer in the lab file; null: no loaded laboratory has it.
       * @example 192.0.2.11
       */
      address: string | null;
      /**
       * Format: date-time
       * @description When the agent was last heard; null: never since the present orchestrator became the leader.
       * @example 2026-11-20T09:30:00.000Z
       */
      last_heard_at: string | null;
      /**
       * @description Milliseconds by which the clock of the computer is ahead of the clock of the orchestrator; null: not known.
       * @example 12
       */
      clock_offset_ms: number | null;
      /** @description Whether the agent can write its ledger, which it must do before it acts; null: not known. */
      ledger: {
        /** @description False: the agent refuses tasks and effects. */
        writable: boolean;
        /** @description What is wrong with the ledger. */
        detail: string | null;
      } | null;
      /** @description Who drains the computer and why; null: nobody does. No task starts on the devices of a drained computer. */
      drain: {
        /**
         * @description Person who drains the computer.
         * @example ada
         */
        by: string;
        /**
         * @description Reason.
         * @example update of the agent
         */
        reason: string;
        /**
         * Format: date-time
         * @description When the drain began.
         * @example 2026-11-20T09:30:00.000Z
         */
        since: string;
        /**
         * Format: date-time
         * @description When it ends by itself; null: when a person resumes the computer.
         * @example 2026-11-20T09:30:00.000Z
         */
        until: string | null;
        /** @description True: no task runs on the computer, and none uses one of its devices. */
        drained: boolean;
        /** @description Tasks that run on the computer or use one of its devices. They continue to their end. */
        used_by: string[];
        /** @description Runs that keep a device of the computer between two tasks. A sample may be in it. Their next task waits for the end of the drain. */
        kept_by: string[];
      } | null;
      /** @description Devices of loaded laboratories that the agent runs. */
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
          | 'disabled'
          | 'initializing'
          | 'idle'
          | 'busy'
          | 'aborting'
          | 'uncertain'
          | 'restarting'
          | 'faulted'
          | 'unreachable';
        /** @description What is wrong. */
        detail: string | null;
      }[];
      /** @description Tasks that run on the computer or are on their way to it. */
      tasks: string[];
    };
    DrainSubmission: {
      /**
       * @description Reason. The service shows it to everybody who waits.
       * @example update of the agent
       */
      reason: string;
      /**
       * Format: date-time
       * @description When the drain ends by itself. Default: when a person resumes the computer.
       * @example 2026-11-23T18:00:00Z
       */
      until?: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    /** @description A question that only a person can settle, or a warning that closes when its cause ends. */
    AttentionRecord: {
      /** @description Unique identifier. */
      id: string;
      /** @enum {string} */
      kind: 'task' | 'device' | 'agent' | 'process';
      /** @enum {string} */
      state: 'open' | 'resolved';
      /**
       * @description What the question is about: `<protocol run>/<task>` or an on-demand task, `<lab>.<device>`, a computer, or a process as `<service>/<name>`.
       * @example mix_1/mix_colors
       */
      subject: string;
      reason: components['schemas']['Reason'];
      /** @description Decisions that a person may take; empty for a warning that asks for none, and once the question is resolved. */
      actions: (
        'completed' | 'failed' | 'retry' | 'idle' | 'lost' | 'keep_waiting' | 'cancel' | 'acknowledge'
      )[];
      /** @description What each decision in `actions` leads to. */
      choices: {
        /** @enum {string} */
        action:
          'completed' | 'failed' | 'retry' | 'idle' | 'lost' | 'keep_waiting' | 'cancel' | 'acknowledge';
        /**
         * @description What the decision leads to.
         * @example the task starts again from its beginning; ...
         */
        effect: string;
      }[];
      /** @description What to look at before a decision; empty once the question is resolved. */
      look_at: string[];
      /**
       * @description Protocol run of the task in question.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Name of the task in question.
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
       * @description Computer of the agent or device in question; for a process, `<service>/<name>`.
       * @example bench_b
       */
      computer: string | null;
      /** @description What is known: devices, resources, the last confirmed call, calls in doubt, running tasks, measured times. */
      known: {
        [key: string]: unknown;
      };
      /**
       * Format: date-time
       * @description When the service opened the question.
       * @example 2026-11-20T09:30:00.000Z
       */
      opened_at: string;
      /**
       * Format: date-time
       * @description When the question was resolved.
       * @example 2026-11-20T09:30:00.000Z
       */
      resolved_at: string | null;
      resolution: {
        /**
         * @description The decision; null: no decision was needed any more.
         * @enum {string|null}
         */
        action:
          | 'completed'
          | 'failed'
          | 'retry'
          | 'idle'
          | 'lost'
          | 'keep_waiting'
          | 'cancel'
          | 'acknowledge'
          | null;
        /**
         * @description Person who decided; `service` when the question resolved itself.
         * @example ada
         */
        by: string;
        /** @description Why. */
        note: string | null;
      } | null;
      /** @description Who is deciding the question at this moment. A claim informs, and keeps nobody from deciding. Null: nobody has said so. */
      claim: {
        /**
         * @description Person who is deciding.
         * @example ada
         */
        by: string;
        /**
         * Format: date-time
         * @description When the person began.
         * @example 2026-11-20T09:30:00.000Z
         */
        since: string;
        /**
         * Format: date-time
         * @description When the claim ends, unless the person renews it.
         * @example 2026-11-20T09:30:00.000Z
         */
        until: string;
      } | null;
    };
    AttentionResolution: {
      /**
       * @description The decision.
       * @example completed
       * @enum {string}
       */
      action: 'completed' | 'failed' | 'retry' | 'idle' | 'lost' | 'keep_waiting' | 'cancel' | 'acknowledge';
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
      /**
       * @description Reason, for the audit.
       * @example looked at the beaker: the dose is in
       */
      note?: string;
      /** @description For a completed task: its output parameters. The service checks them against the task type. */
      output_parameters?: {
        [key: string]: unknown;
      };
      /** @description For a completed task: the resources as the task left them. A resource that is absent is as the task got it. */
      output_resources?: {
        [key: string]: Record<string, unknown>;
      };
    };
    AttentionClaimRequest: {
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
      /**
       * @description Whether to take the claim over from another person.
       * @example false
       */
      take_over?: boolean;
    };
    /** @description An emergency stop, and what is known of every device in its scope. */
    EmergencyStopReport: {
      /** @description Unique identifier. */
      id: string;
      /**
       * @description `all`, `lab:<lab>` or `device:<lab>.<device>`.
       * @example lab:color_lab
       */
      scope: string;
      /**
       * @description Reason.
       * @example spill on the bench
       */
      reason: string;
      /**
       * @description Person who engaged the emergency stop.
       * @example ada
       */
      by: string;
      /**
       * Format: date-time
       * @description When the service recorded the emergency stop; null: it is not recorded yet.
       * @example 2026-11-20T09:30:00.000Z
       */
      engaged_at: string | null;
      /**
       * Format: date-time
       * @description When a person released it; null while it is in force.
       * @example 2026-11-20T09:30:00.000Z
       */
      released_at: string | null;
      /** @description Person who released it. */
      released_by: string | null;
      /** @description True: all devices in the scope are known, and the agent of each says that it is stopped. False also after the release. */
      confirmed: boolean;
      /** @description False: the orchestrator does not say which devices are in the scope, so that devices of silent computers may be missing. */
      complete: boolean;
      /** @description The devices in the scope, by laboratory and name; none after the release. */
      devices: components['schemas']['StoppedDevice'][];
    };
    StoppedDevice: {
      /**
       * @description Laboratory.
       * @example color_lab
       */
      lab_name: string;
      /**
       * @description Name within the laboratory.
       * @example robot_arm
       */
      name: string;
      /**
       * @description Computer whose agent runs the device.
       * @example bench_b
       */
      computer: string;
      /**
       * @description `stopped`: its agent says that nothing of it moves. `stopping`: its agent has the stop, and a call or `_stop` is in progress. `not_reached`: its agent has not answered. `unknown`: its agent cannot know whether the instrument stands still, or does not run the device.
       * @enum {string}
       */
      state: 'stopped' | 'stopping' | 'not_reached' | 'unknown';
      /** @description Why the device is not `stopped`, in words; null when it is. */
      detail: string | null;
      /**
       * @description Task run that holds the device.
       * @example mix_1/mix_colors
       */
      held_by: string | null;
      /** @description The call in progress that may move the device; null: none, as far as is known. */
      doing: {
        /** @description Unique identifier of the call. */
        call_id: string;
        /**
         * @description Function of the device.
         * @example mix
         */
        function: string;
        /** @description Arguments of the call. A long value is cut, and a secret one is masked. */
        arguments: {
          [key: string]: unknown;
        };
        /**
         * Format: date-time
         * @description When the call began.
         * @example 2026-11-20T09:30:00.000Z
         */
        since: string;
        /** @description Attempt that made the call; absent: a person made it. */
        attempt_id?: string;
      } | null;
      /** @description What the agent of an unreachable device said last; null when the device is reachable, or its agent was never heard. */
      last_known: {
        /** @enum {string} */
        state:
          | 'disabled'
          | 'initializing'
          | 'idle'
          | 'busy'
          | 'aborting'
          | 'uncertain'
          | 'restarting'
          | 'faulted'
          | 'unreachable';
        /**
         * Format: date-time
         * @description When the agent was last heard.
         * @example 2026-11-20T09:30:00.000Z
         */
        at: string;
      } | null;
    };
    EmergencyStopRequest: {
      /**
       * @description Laboratory to stop. Absent: all laboratories.
       * @example color_lab
       */
      lab_name?: string;
      /**
       * @description Device of that laboratory. Absent: all devices of the laboratory.
       * @example robot_arm
       */
      device_name?: string;
      /**
       * @description Reason. The service shows it wherever it refuses work.
       * @example spill on the bench
       */
      reason?: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
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
       * @description Reason.
       * @example spill on the bench
       */
      reason: string;
      /**
       * @description Person who engaged the emergency stop.
       * @example ada
       */
      by: string;
      /**
       * Format: date-time
       * @description When the service recorded the emergency stop.
       * @example 2026-11-20T09:30:00.000Z
       */
      engaged_at: string;
      /**
       * Format: date-time
       * @description When a person released it; null while it is in force.
       * @example 2026-11-20T09:30:00.000Z
       */
      released_at: string | null;
      /** @description Person who released it. */
      released_by: string | null;
    };
    EmergencyStopRelease: {
      /** @description Id of the emergency stop. Absent: every emergency stop in force. */
      id?: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    /** @description A drain: whether new work may begin, and the work that has begun and has not ended. */
    DrainRecord: {
      /** @description True: no protocol run and no on-demand task begins until a person ends the drain. */
      draining: boolean;
      /**
       * @description Campaign that the work belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /**
       * @description Person who began the drain.
       * @example ada
       */
      by: string | null;
      /**
       * Format: date-time
       * @description When the drain began.
       * @example 2026-11-20T09:30:00.000Z
       */
      since: string | null;
      /** @description True: everything that has begun has ended. */
      drained: boolean;
      /**
       * @description Protocol runs and on-demand tasks that have begun and have not ended.
       * @example 2
       */
      unfinished_count: number;
      /** @description The earliest of them, at most 200. */
      unfinished: components['schemas']['DrainedWork'][];
    };
    DrainedWork: {
      /** @enum {string} */
      kind: 'protocol_run' | 'task';
      /**
       * @description Its name.
       * @example mix_1
       */
      name: string;
      /**
       * @description `needs_attention`: a person must decide before it goes on. `paused`: a person must resume it.
       * @enum {string}
       */
      state:
        | 'created'
        | 'running'
        | 'paused'
        | 'completed'
        | 'failed'
        | 'cancelled'
        | 'needs_attention'
        | 'queued'
        | 'skipped';
      /**
       * Format: date-time
       * @description When its first task started.
       * @example 2026-11-20T09:30:00.000Z
       */
      since: string | null;
      /** @description Its tasks that run. None: its next task waits. */
      running: components['schemas']['DrainedTask'][];
    };
    DrainedTask: {
      /**
       * @description `<protocol run>/<task>`, or the on-demand task.
       * @example mix_1/mix_colors
       */
      label: string;
      /**
       * @description Computer that runs the task.
       * @example bench_b
       */
      computer: string | null;
      /**
       * Format: date-time
       * @description When the task started.
       * @example 2026-11-20T09:30:00.000Z
       */
      since: string | null;
      /**
       * Format: date-time
       * @description When the agent of the computer was last heard, if it is not heard at present: nobody knows what the task does. Null: the agent is heard.
       * @example 2026-11-20T09:30:00.000Z
       */
      silent_since: string | null;
    };
    QueuePage: {
      /** @description True: no task starts until a person resumes the queue. */
      paused: boolean;
      /**
       * @description Person who paused the queue.
       * @example ada
       */
      paused_by: string | null;
      /**
       * Format: date-time
       * @description When the person paused the queue.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * @description Task runs that have not started: those ready to start and those that wait for other tasks.
       * @example 5
       */
      waiting: number;
      /**
       * @description Person who drains the queue: no protocol run and no on-demand task begins. Null: nobody does.
       * @example ada
       */
      drained_by: string | null;
      /**
       * Format: date-time
       * @description When the person began to drain the queue.
       * @example 2026-11-20T09:30:00.000Z
       */
      drained_at: string | null;
      /**
       * @description Task runs that are ready to start. Task runs that wait for other tasks do not count.
       * @example 3
       */
      queued: number;
      /**
       * @description Task runs that run.
       * @example 2
       */
      running: number;
      /** @description The tasks that wait, in their order. */
      items: components['schemas']['QueuedTask'][];
      /** @description Leads to the next page; null: this is the last page. */
      next_cursor: string | null;
    };
    /** @description A task that waits, at its place in the queue. */
    QueuedTask: {
      /**
       * @description Place among all tasks that wait, from 1.
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
       * @description Name in the protocol, or name of the on-demand task.
       * @example mix_colors
       */
      name: string;
      /**
       * @description Task type.
       * @example mix_colors
       */
      type: string;
      /**
       * @description Protocol run that the task belongs to; null for an on-demand task.
       * @example mix_2
       */
      protocol_run: string | null;
      /**
       * @description Campaign that the work belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /**
       * @description Owner of the work.
       * @example ada
       */
      owner: string;
      /**
       * @description `created`: the task waits for other tasks. `queued`: the task waits to start.
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
       * @description When work competes, the higher priority goes first.
       * @example 0
       */
      priority: number;
      /**
       * @description The priority, raised by the time that the task has waited.
       * @example 1
       */
      effective_priority: number;
      /**
       * Format: date-time
       * @description When the last task that it depends on ended; for a task that still depends on others: when it was created.
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
       * @description When the plan starts the task; null: not planned.
       * @example 2026-11-20T09:30:00.000Z
       */
      planned_start: string | null;
      /** @description Why the task has not started. */
      waits_for: components['schemas']['WaitCause'][];
    };
    /** @description One reason why a task has not started. */
    WaitCause: {
      /**
       * @description `dependency`: `tasks` have not completed. `lag`: the least time after a dependency ends at `until`. `group`: the task starts at the end of `tasks`. `device`, `resource`: `held_by` has `unit` until `until`. `lower_priority`: `tasks` go first on `unit`. `no_eligible_device`, `no_eligible_resource`: nothing can fill `slot`; `candidates` says why. `out_of_service`: a person took `unit` out of service, or drains its computer, until `until`. `reserved`: `held_by` has reserved `unit` from `from` to `until`, and the task would run in this time. `computer_away`: the computer of the task is not connected. `paused`: a person paused the run, the campaign or the queue, or drains it and the work has not begun. `attention`: the run waits for a person. `emergency_stop`: an emergency stop is in force. `retry_pause`: the task is tried again at `until`. `campaign_limit`: the campaign has as many runs under way as it may have. `hold_order`: if the task started now, its run could come to keep a unit that another run needs while it waits for a unit that the other run keeps. `planned`: the task could start, and the plan starts it at `until`. `beyond_horizon`: the task is beyond the horizon of the plan. `unplanned`: the plan has no place for the task; `message` says why.
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
        | 'out_of_service'
        | 'reserved'
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
       * @description The reason in words.
       * @example color_lab.robot_arm is in use by mix_2/retrieve_container
       */
      message: string;
      /** @description The tasks that the task waits for. */
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
       * @description Task that uses the unit, protocol run that keeps it between two tasks, or person who has reserved it.
       * @example mix_2/retrieve_container
       */
      held_by?: string;
      /**
       * Format: date-time
       * @description When the reservation of the unit begins.
       * @example 2026-11-20T09:30:00.000Z
       */
      from?: string;
      /**
       * Format: date-time
       * @description When the cause is expected to end; null: not known.
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
         * @description Why the unit cannot be used.
         * @example faulted
         */
        why: string;
      }[];
    };
    QueueRecord: {
      /** @description True: no task starts until a person resumes the queue. */
      paused: boolean;
      /**
       * @description Person who paused the queue.
       * @example ada
       */
      paused_by: string | null;
      /**
       * Format: date-time
       * @description When the person paused the queue.
       * @example 2026-11-20T09:30:00.000Z
       */
      paused_at: string | null;
      /**
       * @description Task runs that have not started: those ready to start and those that wait for other tasks.
       * @example 5
       */
      waiting: number;
      /**
       * @description Person who drains the queue: no protocol run and no on-demand task begins. Null: nobody does.
       * @example ada
       */
      drained_by: string | null;
      /**
       * Format: date-time
       * @description When the person began to drain the queue.
       * @example 2026-11-20T09:30:00.000Z
       */
      drained_at: string | null;
      /**
       * @description Task runs that are ready to start. Task runs that wait for other tasks do not count.
       * @example 3
       */
      queued: number;
      /**
       * @description Task runs that run.
       * @example 2
       */
      running: number;
    };
    /** @description What an owner or a laboratory stores, and the quota for it. */
    UsageRecord: {
      /**
       * @description `owner`: of work. `lab`: a laboratory; work of several laboratories counts for each.
       * @enum {string}
       */
      kind: 'owner' | 'lab';
      /**
       * @description Name of the owner or the laboratory; empty: work without an owner.
       * @example ada
       */
      name: string;
      /**
       * @description Number of stored task runs, archived ones included.
       * @example 1200
       */
      records: number;
      /**
       * @description Number of stored files.
       * @example 2400
       */
      files: number;
      /**
       * @description Size of these files in bytes.
       * @example 48211000
       */
      bytes: number;
      /**
       * @description Greatest number of task runs; null: no limit.
       * @example 2000000
       */
      max_records: number | null;
      /**
       * @description Greatest size of the files in bytes; null: no limit.
       * @example 200000000000
       */
      max_bytes: number | null;
      /**
       * @description Share of the limit that is used most; 1: it is used up. Null: there is no limit.
       * @example 0.25
       */
      share: number | null;
    };
    /** @description A device or resource that a person has reserved for a time. Only tasks of this person start on it during that time. */
    ReservationRecord: {
      /**
       * @description Id of the reservation.
       * @example 0190c0de-0000-7000-8000-00000000000d
       */
      id: string;
      /**
       * @description Laboratory of the device or resource.
       * @example color_lab
       */
      lab: string;
      /**
       * @description Reserved device; null: a resource is reserved.
       * @example robot_arm
       */
      device: string | null;
      /**
       * @description Reserved resource; null: a device is reserved.
       * @example beaker_1
       */
      resource: string | null;
      /**
       * @description Person who has reserved it.
       * @example ada
       */
      by: string;
      /**
       * @description Reason.
       * @example calibration of the arm
       */
      reason: string;
      /**
       * Format: date-time
       * @description When the reservation begins.
       * @example 2026-11-20T09:30:00.000Z
       */
      from: string;
      /**
       * Format: date-time
       * @description When the reservation ends by itself.
       * @example 2026-11-20T09:30:00.000Z
       */
      to: string;
      /**
       * Format: date-time
       * @description When the person made the reservation.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
    };
    ReservationRequest: {
      /**
       * @description Laboratory of the device or resource.
       * @example color_lab
       */
      lab: string;
      /**
       * @description Device to reserve. Either this or `resource`.
       * @example robot_arm
       */
      device?: string;
      /**
       * @description Resource to reserve. Either this or `device`.
       * @example beaker_1
       */
      resource?: string;
      /**
       * Format: date-time
       * @description When the reservation begins. A time that is past means now.
       * @example 2026-11-23T14:00:00Z
       */
      from: string;
      /**
       * Format: date-time
       * @description When the reservation ends by itself: later than `from` and than now, at most 30 days from now.
       * @example 2026-11-23T16:00:00Z
       */
      to: string;
      /**
       * @description Reason. The service shows it to everybody who waits.
       * @example calibration of the arm
       */
      reason: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    ScheduleRecord: {
      /**
       * @description The scheduling policy.
       * @enum {string}
       */
      policy: 'greedy' | 'cpsat';
      /**
       * Format: date-time
       * @description The moment that the schedule describes.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      plan: components['schemas']['PlanRecord'] | null;
      /** @description First the tasks that run, then those that wait, in the order of their planned starts or else of the queue, then those that have ended. With `from` and `to`: in the order of their actual or planned starts. */
      tasks: components['schemas']['ScheduledTask'][];
      /**
       * @description Number of tasks, listed or not. With `from` and `to`, the number of listed tasks.
       * @example 7
       */
      tasks_total: number;
      /** @description True: there are more tasks than `limit`, which are not listed. */
      truncated: boolean;
      /** @description Devices and resources of the loaded laboratories, by kind and name. */
      units: components['schemas']['ScheduledUnit'][];
      protocol_runs: components['schemas']['ScheduledRun'][];
      campaigns: components['schemas']['ScheduledCampaign'][];
    };
    /** @description How good the plan is, and how it was found. */
    PlanRecord: {
      /**
       * Format: date-time
       * @description When the plan was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      made_at: string;
      /**
       * @description The value that the policy minimises: weighted completion plus weighted makespan.
       * @example 61.5
       */
      objective: number;
      /**
       * @description Sum over protocol runs and on-demand tasks of weight x seconds from `made_at` to their completion.
       * @example 41.2
       */
      weighted_completion: number;
      /**
       * @description Seconds from `made_at` to the end of all planned work.
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
         * @description What found the plan: `repair`, `list`, `search` or `cp-sat`.
         * @example search
         */
        engine: string;
        /**
         * @description Random seed of the search.
         * @example 1
         */
        seed: number | null;
        /**
         * @description Milliseconds that the search took.
         * @example 840
         */
        ms: number | null;
        /** @description True: the same seed gives the same plan. */
        reproducible: boolean;
      };
    };
    /** @description A task that runs, waits or has ended. */
    ScheduledTask: {
      /** @description Id of the task run. */
      id: string;
      /**
       * @description `<protocol run>/<task>`, or the on-demand task.
       * @example mix_1/mix_colors
       */
      label: string;
      /**
       * @description Name in the protocol, or name of the on-demand task.
       * @example mix_colors
       */
      name: string;
      /**
       * @description Task type.
       * @example mix_colors
       */
      type: string;
      /**
       * @description Protocol run that the task belongs to; null for an on-demand task.
       * @example mix_1
       */
      protocol_run: string | null;
      /**
       * @description Campaign that the work belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /**
       * @description When work competes, the higher priority goes first.
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
       * @description When the plan starts the task; null: not planned.
       * @example 2026-11-20T09:30:00.000Z
       */
      planned_start: string | null;
      /**
       * Format: date-time
       * @description When the task is expected to end; null: not planned.
       * @example 2026-11-20T09:30:00.000Z
       */
      planned_end: string | null;
      /** @description The plan when the task was first planned. It never changes. Null: no plan has had the task. */
      first_plan: {
        /**
         * Format: date-time
         * @description When the plan starts the task.
         * @example 2026-11-20T09:30:00.000Z
         */
        start: string;
        /**
         * Format: date-time
         * @description When the plan ends the task.
         * @example 2026-11-20T09:30:00.000Z
         */
        end: string;
        /**
         * Format: date-time
         * @description When the plan was made.
         * @example 2026-11-20T09:30:00.000Z
         */
        at: string;
        /** @description Device handle to the planned device. */
        devices: {
          [key: string]: string;
        };
      } | null;
      /** @description The last plan before the task started. A retry replaces it. Null: it has not started, or no plan had it. */
      last_plan: {
        /**
         * Format: date-time
         * @description When the plan starts the task.
         * @example 2026-11-20T09:30:00.000Z
         */
        start: string;
        /**
         * Format: date-time
         * @description When the plan ends the task.
         * @example 2026-11-20T09:30:00.000Z
         */
        end: string;
        /**
         * Format: date-time
         * @description When the plan was made.
         * @example 2026-11-20T09:30:00.000Z
         */
        at: string;
        /** @description Device handle to the planned device. */
        devices: {
          [key: string]: string;
        };
      } | null;
      /**
       * Format: date-time
       * @description When the task started.
       * @example 2026-11-20T09:30:00.000Z
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When the task ended.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /** @description Seconds later than the greatest lag after its dependencies allowed; null: not late. */
      late_by_s: number | null;
      /** @description How long the task is expected to take. Null and 0 for a task of work that has ended. */
      duration: {
        /**
         * @description Seconds that the plan assumes; null: nothing is known.
         * @example 0.83
         */
        expected: number | null;
        /**
         * @description Seconds that the protocol declares; null: not declared.
         * @example 0.8
         */
        declared: number | null;
        /**
         * @description Median of the latest completed attempts in seconds; null: fewer than 3 are known.
         * @example 0.83
         */
        learned: number | null;
        /**
         * @description Number of completed attempts that are known, at most 32.
         * @example 12
         */
        samples: number;
      };
      /** @description Device handle to the device that the task has or had, else to the planned device. */
      devices: {
        [key: string]: string;
      };
      /** @description Resource handle to the resource that the task has or had, else to the planned resource. */
      resources: {
        [key: string]: string;
      };
      /** @description Why the task has not started; empty when it has started or has ended. */
      waits_for: components['schemas']['WaitCause'][];
    };
    /** @description A device or a resource, and the tasks that use it. */
    ScheduledUnit: {
      /** @enum {string} */
      kind: 'device' | 'resource';
      /**
       * @description `<lab>.<device>` or the resource.
       * @example color_lab.station_1
       */
      name: string;
      /** @description True: the unit may be given to a task at present. */
      usable: boolean;
      /** @description Why the unit may not be given to a task; null when it may. */
      unusable_because: string | null;
      /**
       * @description Task that uses the unit at present.
       * @example mix_1/mix_colors
       */
      used_by: string | null;
      /**
       * @description Protocol run that keeps the unit.
       * @example mix_1
       */
      held_by: string | null;
      /**
       * Format: date-time
       * @description When the unit is expected to be free for other work; null: it is free, or not known.
       * @example 2026-11-20T09:30:00.000Z
       */
      free_at: string | null;
      /** @description Tasks on the unit in the order of their starts: first those that started, then those that are planned. */
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
         * @description When the task started or is planned to start.
         * @example 2026-11-20T09:30:00.000Z
         */
        start: string;
        /**
         * Format: date-time
         * @description When the task ended or is expected to end; null: not known.
         * @example 2026-11-20T09:30:00.000Z
         */
        end: string | null;
        /** @description True: the task has not started. */
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
       * @description Campaign that the work belongs to, if any.
       * @example sweep
       */
      campaign: string | null;
      /** @enum {string} */
      state: 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'needs_attention';
      /**
       * @description When work competes, the higher priority goes first.
       * @example 0
       */
      priority: number;
      /**
       * @description Number of tasks of the run.
       * @example 7
       */
      tasks_total: number;
      /**
       * @description Number of tasks of the run that have ended.
       * @example 2
       */
      tasks_ended: number;
      /**
       * Format: date-time
       * @description When the last task is expected to end; null: not planned, paused, or waiting for a person.
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
       * @description Number of protocol runs of the campaign; 0: no limit.
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
       * @description When the last run is expected to end; null: not known.
       * @example 2026-11-20T09:30:00.000Z
       */
      estimated_completion: string | null;
    };
    Principal: {
      /**
       * @description Owner of the work that is submitted, and the name in the audit.
       * @example ada
       */
      name: string;
      /**
       * @description `local`: authentication is off. `token`: identified by a token of this service. `oidc`: identified by a token of the OIDC issuer.
       * @enum {string}
       */
      kind: 'local' | 'token' | 'oidc';
      grants: components['schemas']['Grant'][];
      /**
       * @description Issuer that knows the person. Absent: the name is one of this service.
       * @example https://login.example.org
       */
      issuer?: string;
      /**
       * @description Who the person is at the issuer: the claim `sub`.
       * @example 4711
       */
      subject?: string;
      pipeline?: components['schemas']['PipelineOrigin'];
    };
    Grant: {
      /**
       * @description What the token allows. From `viewer` to `lab_admin` each role includes the roles before it. `dry_runner` only learns what a package would change, and includes `viewer`. `deployer` uploads and activates packages, and includes `dry_runner` and `viewer`. `admin` includes all.
       * @enum {string}
       */
      role: 'viewer' | 'submitter' | 'operator' | 'lab_admin' | 'dry_runner' | 'deployer' | 'admin';
      /**
       * @description The one lab that the role is for; absent: all labs.
       * @example color_lab
       */
      lab?: string;
    };
    /** @description The pipeline that a token was made for, as its issuer signed it. A claim that the token lacked is null. */
    PipelineOrigin: {
      /**
       * @description Issuer of the signed token.
       * @example https://token.actions.githubusercontent.com
       */
      issuer: string;
      /**
       * @description The claim `sub`.
       * @example repo:our-org/our-labs:environment:lab
       */
      subject: string;
      /**
       * @description Repository: the claim `repository` or `project_path`.
       * @example our-org/our-labs
       */
      repository: string | null;
      /**
       * @description Branch, tag or pull request: the claim `ref`.
       * @example refs/heads/main
       */
      ref: string | null;
      /**
       * @description Commit: the claim `sha`.
       * @example 9fceb02d0ae598e95dc970b74767f19372d61af8
       */
      commit: string | null;
      /**
       * @description Run of the pipeline: the claim `run_id` or `pipeline_id`.
       * @example 1658821493
       */
      run: string | null;
    };
    NewTokenRecord: {
      /** @description Id of the token. It is not the token itself. */
      id: string;
      /**
       * @description The first characters of the token, to tell it from others.
       * @example svc_pat_Jx3q
       */
      prefix: string;
      /**
       * @description Whether a person or a program uses the token. `session`: a browser uses it, and ends it.
       * @enum {string}
       */
      kind: 'personal' | 'service' | 'session';
      /**
       * @description Owner of the token. It is the owner of the work that is submitted with the token, and the name in the audit.
       * @example ada
       */
      name: string;
      /**
       * @description What the token is for.
       * @example notebook on the bench
       */
      note: string;
      grants: components['schemas']['Grant'][];
      /**
       * Format: date-time
       * @description When the token was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Person who made the token.
       * @example root
       */
      created_by: string;
      /**
       * @description Issuer that knows the owner; null: the name is one of this service.
       * @example https://login.example.org
       */
      issuer: string | null;
      /**
       * @description Who the owner is at the issuer: the claim `sub`.
       * @example 4711
       */
      subject: string | null;
      pipeline: components['schemas']['PipelineOrigin'] | null;
      /**
       * Format: date-time
       * @description When the token expires; null: it does not expire.
       * @example 2026-11-20T09:30:00.000Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When the token was last used, to within about a minute; null: never.
       * @example 2026-11-20T09:30:00.000Z
       */
      last_used_at: string | null;
      /**
       * Format: date-time
       * @description When the token was revoked.
       * @example 2026-11-20T09:30:00.000Z
       */
      revoked_at: string | null;
      /** @description Person who revoked the token. */
      revoked_by: string | null;
      /** @description The token. The service does not keep it and cannot show it again. */
      token: string;
    };
    TokenSubmission: {
      /**
       * @description Owner of the token. It is the owner of the work that is submitted with the token, and the name in the audit.
       * @example ada
       */
      name: string;
      /**
       * @description Whether a person or a program uses the token. Default: `personal`.
       * @enum {string}
       */
      kind?: 'personal' | 'service';
      /** @description What the token allows. */
      grants: components['schemas']['GrantSubmission'][];
      /**
       * @description What the token is for.
       * @example notebook on the bench
       */
      note?: string;
      /**
       * @description Days until the token expires. For a personal token: default 90, at most 366. For a service token: default never.
       * @example 30
       */
      expires_in_days?: number;
    };
    GrantSubmission: {
      /**
       * @description What the token allows. From `viewer` to `lab_admin` each role includes the roles before it. `dry_runner` only learns what a package would change, and includes `viewer`. `deployer` uploads and activates packages, and includes `dry_runner` and `viewer`. `admin` includes all.
       * @enum {string}
       */
      role: 'viewer' | 'submitter' | 'operator' | 'lab_admin' | 'dry_runner' | 'deployer' | 'admin';
      /**
       * @description The one lab that the role is for. Absent: all labs.
       * @example color_lab
       */
      lab?: string;
    };
    TokenPage: {
      items: components['schemas']['TokenRecord'][];
      /** @description Leads to the next page; null: this is the last page. */
      next_cursor: string | null;
    };
    TokenRecord: {
      /** @description Id of the token. It is not the token itself. */
      id: string;
      /**
       * @description The first characters of the token, to tell it from others.
       * @example svc_pat_Jx3q
       */
      prefix: string;
      /**
       * @description Whether a person or a program uses the token. `session`: a browser uses it, and ends it.
       * @enum {string}
       */
      kind: 'personal' | 'service' | 'session';
      /**
       * @description Owner of the token. It is the owner of the work that is submitted with the token, and the name in the audit.
       * @example ada
       */
      name: string;
      /**
       * @description What the token is for.
       * @example notebook on the bench
       */
      note: string;
      grants: components['schemas']['Grant'][];
      /**
       * Format: date-time
       * @description When the token was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Person who made the token.
       * @example root
       */
      created_by: string;
      /**
       * @description Issuer that knows the owner; null: the name is one of this service.
       * @example https://login.example.org
       */
      issuer: string | null;
      /**
       * @description Who the owner is at the issuer: the claim `sub`.
       * @example 4711
       */
      subject: string | null;
      pipeline: components['schemas']['PipelineOrigin'] | null;
      /**
       * Format: date-time
       * @description When the token expires; null: it does not expire.
       * @example 2026-11-20T09:30:00.000Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When the token was last used, to within about a minute; null: never.
       * @example 2026-11-20T09:30:00.000Z
       */
      last_used_at: string | null;
      /**
       * Format: date-time
       * @description When the token was revoked.
       * @example 2026-11-20T09:30:00.000Z
       */
      revoked_at: string | null;
      /** @description Person who revoked the token. */
      revoked_by: string | null;
    };
    RevokedTokens: {
      /**
       * @description Number of tokens that the request revoked.
       * @example 2
       */
      revoked: number;
    };
    ExchangedToken: {
      /** @description The token of this service. The service does not keep it and cannot show it again. */
      access_token: string;
      /**
       * @description The kind of the token.
       * @enum {string}
       */
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token';
      /**
       * @description How the token is sent.
       * @enum {string}
       */
      token_type: 'Bearer';
      /**
       * @description Seconds until the token expires.
       * @example 900
       */
      expires_in: number;
      /** @description Id of the token, as the list of tokens shows it. */
      id: string;
      grants: components['schemas']['Grant'][];
    };
    TokenExchange: {
      /**
       * @description The kind of request.
       * @enum {string}
       */
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange';
      /** @description The signed token (JWT) that the issuer gave the pipeline. */
      subject_token: string;
      /**
       * @description The kind of the signed token.
       * @enum {string}
       */
      subject_token_type:
        'urn:ietf:params:oauth:token-type:jwt' | 'urn:ietf:params:oauth:token-type:id_token';
    };
    SessionRecord: {
      /** @description Id of the session, as the list of tokens shows it. */
      id: string;
      /**
       * @description Owner of the work that is submitted, and the name in the audit.
       * @example ada
       */
      name: string;
      grants: components['schemas']['Grant'][];
      /**
       * Format: date-time
       * @description When the session ends, whatever happens.
       * @example 2026-11-20T09:30:00.000Z
       */
      expires_at: string;
      /**
       * @description Minutes without a request after which the session ends before.
       * @example 60
       */
      idle_minutes: number;
    };
    /** @description A package of the agent for instrument PCs, which this service offers. */
    AgentPackageRecord: {
      /**
       * @description Name of the file.
       * @example svc-agent-0.1.0-linux-x64.tar.gz
       */
      name: string;
      /**
       * @description Version of the agent.
       * @example 0.1.0
       */
      version: string;
      /**
       * @description Operating system and processor.
       * @example linux-x64
       */
      platform: string;
      /**
       * @description Size in bytes.
       * @example 0
       */
      size: number;
      /** @description SHA-256 of the file, hexadecimal. */
      sha256: string;
      /** @description Address of the file. It needs no token. */
      url: string;
    };
    /** @description Answer to the request that made an invitation. No other answer contains the token. */
    NewInvitationRecord: {
      /**
       * @description Id of the invitation.
       * @example Jx3qT0aB9cDe
       */
      id: string;
      /**
       * @description Name of the computer in lab.yml. With `uses`, `*` stands for any characters: each computer that joins says its own name.
       * @example bench_b
       */
      computer: string;
      /**
       * @description The laboratory that declares the computer; null: any.
       * @example color_lab
       */
      lab: string | null;
      /**
       * @description How many computers may join.
       * @example 1
       */
      uses: number;
      /**
       * @description How many computers joined.
       * @example 0
       */
      used: number;
      /** @description Whether an administrator approves each computer. */
      needs_approval: boolean;
      /**
       * Format: date-time
       * @description When it was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Person who made it.
       * @example root
       */
      created_by: string;
      /**
       * Format: date-time
       * @description When it expires.
       * @example 2026-11-20T09:30:00.000Z
       */
      expires_at: string;
      /** @description What the computer shows when it joins. The service does not keep it and cannot show it again. */
      token: string;
      /**
       * @description Address at which the computer joins.
       * @example https://lab-server:8443
       */
      url: string;
      /**
       * @description The command for the computer.
       * @example svc-agent join https://lab-server:8443 svc_join_...
       */
      command: string;
    };
    InvitationSubmission: {
      /**
       * @description Name of the computer in lab.yml. With `uses`, `*` stands for any characters: each computer that joins says its own name.
       * @example bench_b
       */
      computer: string;
      /**
       * @description A loaded laboratory that must declare the computer. Absent: any or none.
       * @example color_lab
       */
      lab?: string;
      /**
       * @description Seconds until the invitation expires. Default 3600.
       * @example 3600
       */
      expires_in_s?: number;
      /**
       * @description How many computers may join with it. Default 1.
       * @example 1
       */
      uses?: number;
      /** @description Whether an administrator approves each computer after it joined. Default: false. */
      approval?: boolean;
    };
    /** @description An invitation of a computer, without its secret. Times are ISO 8601 in UTC. */
    InvitationRecord: {
      /**
       * @description Id of the invitation.
       * @example Jx3qT0aB9cDe
       */
      id: string;
      /**
       * @description Name of the computer in lab.yml. With `uses`, `*` stands for any characters: each computer that joins says its own name.
       * @example bench_b
       */
      computer: string;
      /**
       * @description The laboratory that declares the computer; null: any.
       * @example color_lab
       */
      lab: string | null;
      /**
       * @description How many computers may join.
       * @example 1
       */
      uses: number;
      /**
       * @description How many computers joined.
       * @example 0
       */
      used: number;
      /** @description Whether an administrator approves each computer. */
      needs_approval: boolean;
      /**
       * Format: date-time
       * @description When it was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Person who made it.
       * @example root
       */
      created_by: string;
      /**
       * Format: date-time
       * @description When it expires.
       * @example 2026-11-20T09:30:00.000Z
       */
      expires_at: string;
    };
    /** @description The agent of a computer that joined with an invitation. */
    EnrolmentRecord: {
      /**
       * @description Name of the computer.
       * @example bench_b
       */
      computer: string;
      /**
       * @description Public key of the agent.
       * @example UD2KZ7
       */
      key: string;
      /**
       * @description Id of the invitation.
       * @example Jx3qT0aB9cDe
       */
      invitation_id: string;
      /**
       * @description Network address from which it joined.
       * @example 192.168.0.17
       */
      address: string;
      /**
       * @description Version of the agent when it last got credentials.
       * @example 0.1.0
       */
      version: string;
      /**
       * Format: date-time
       * @description When it joined.
       * @example 2026-11-20T09:30:00.000Z
       */
      joined_at: string;
      /**
       * Format: date-time
       * @description When it was approved; null: it waits for an administrator.
       * @example 2026-11-20T09:30:00.000Z
       */
      approved_at: string | null;
      /**
       * @description Person who approved it, or who invited it without approval.
       * @example root
       */
      approved_by: string | null;
      /**
       * Format: date-time
       * @description When its credentials end, unless it renews them; null: it has none yet.
       * @example 2026-11-20T09:30:00.000Z
       */
      valid_until: string | null;
      /**
       * Format: date-time
       * @description When it was revoked.
       * @example 2026-11-20T09:30:00.000Z
       */
      revoked_at: string | null;
      /**
       * @description Person who revoked it.
       * @example root
       */
      revoked_by: string | null;
      /**
       * @description Why it was revoked.
       * @example the PC was replaced
       */
      reason: string | null;
    };
    RevocationSubmission: {
      /**
       * @description Why it is revoked.
       * @example the PC was replaced
       */
      reason?: string;
    };
    /** @description A rollout: an update of the agents of several computers, ring by ring. Times are ISO 8601 in UTC. */
    RolloutRecord: {
      /**
       * @description Unique identifier.
       * @example 0190c0de-0000-7000-8000-00000000000e
       */
      id: string;
      /**
       * @description Version to which the agents are updated.
       * @example 0.2.0
       */
      version: string;
      /** @enum {string} */
      state: 'running' | 'halted' | 'completed' | 'cancelled';
      /**
       * @description Person who started it.
       * @example ada
       */
      by: string;
      /**
       * @description Reason.
       * @example release 0.2.0
       */
      reason: string;
      /**
       * @description Seconds for which each ring is watched before the next one, or the end.
       * @example 0
       */
      settle_s: number;
      /**
       * Format: date-time
       * @description When it was started.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it was completed or cancelled.
       * @example 2026-11-20T09:30:00.000Z
       */
      ended_at: string | null;
      /**
       * @description Person who cancelled it; `service`: it was completed.
       * @example ada
       */
      ended_by: string | null;
      /** @description Why the rollout is halted; null: it is not. */
      halt: {
        /**
         * @description The computer in question.
         * @example bench_b
         */
        computer: string;
        /**
         * @description Why the rollout was halted.
         * @example bench_b did not come back within 300 s
         */
        reason: string;
        /**
         * Format: date-time
         * @description When it was halted.
         * @example 2026-11-20T09:30:00.000Z
         */
        at: string;
      } | null;
      /**
       * @description What it waits for; null: for nothing, or it is over.
       * @example the next ring begins later
       */
      waits_for: string | null;
      /** @description The computers, by ring and name. */
      computers: {
        /**
         * @description Name of the computer.
         * @example bench_b
         */
        computer: string;
        /**
         * @description Number of its ring, from 1.
         * @example 1
         */
        ring: number;
        /** @enum {string} */
        state: 'waiting' | 'draining' | 'updating' | 'restarting' | 'initializing' | 'updated' | 'failed';
        /**
         * @description Version before the rollout.
         * @example 0.1.0
         */
        version_before: string;
        /**
         * @description Operating system and processor.
         * @example linux-x64
         */
        platform: string;
        /**
         * Format: date-time
         * @description Since when it has this state.
         * @example 2026-11-20T09:30:00.000Z
         */
        since: string;
        /**
         * @description What it waits for, or why it failed.
         * @example mix_1/mix_colors runs there
         */
        detail: string | null;
      }[];
      /** @description Computers that the rollout does not update. */
      left_out: {
        /**
         * @description Name of the computer.
         * @example bench_c
         */
        computer: string;
        /**
         * @description Why the rollout does not update it.
         * @example its agent does not say on which platform it runs
         */
        reason: string;
      }[];
    };
    RolloutSubmission: {
      /**
       * @description Version to which the agents are updated. It may be older.
       * @example 0.2.0
       */
      version: string;
      /**
       * @description Names of the computers. Default: all whose agent is connected and runs another version.
       * @example [
       *       "bench_a",
       *       "bench_b"
       *     ]
       */
      computers?: string[];
      /**
       * @description The computer that is updated first. Default: the first by name.
       * @example bench_a
       */
      canary?: string;
      /**
       * @description Seconds between the last update of a ring and the first of the next, or the end of the rollout. Default 600.
       * @example 600
       */
      settle_s?: number;
      /**
       * @description Reason. The service shows it to everybody who waits.
       * @example release 0.2.0
       */
      reason: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    RolloutDecision: {
      /**
       * @description Reason, for the audit.
       * @example the disk has room again
       */
      reason?: string;
      /**
       * @description Person who decides, for the audit. Default: "unknown".
       * @example ada
       */
      by?: string;
    };
    AuditVerification: {
      /**
       * @description Number of entries that were checked, a broken entry included.
       * @example 1204
       */
      entries: number;
      broken: {
        /**
         * @description Number of the entry.
         * @example 17
         */
        seq: number;
        /** @description Id of the entry; null when the entry is missing. */
        id: string | null;
        /**
         * @description What is wrong with the entry.
         * @example it was changed
         */
        reason: string;
      } | null;
      /** @description Hash of the last sound entry. */
      head: string;
    };
    /** @description Refusals of one kind, of one caller from one address, within about a minute. */
    RefusalRecord: {
      /** @description Unique identifier of the record. */
      id: string;
      /**
       * @description `no_token`, `wrong_token`: 401. `wrong_ticket`: the address of an upload or download that is not valid. `role`: 403, the caller lacks a role. `origin`: 403, a page of another site or a foreign name of this service. `too_many`: 429. `webhook_address`: a webhook may not reach the address.
       * @enum {string}
       */
      kind: 'no_token' | 'wrong_token' | 'wrong_ticket' | 'role' | 'origin' | 'too_many' | 'webhook_address';
      /**
       * @description Name of the caller; empty: the request proved none.
       * @example ada
       */
      principal: string;
      /**
       * @description Address that the requests came from, or the network of 64 bits of an IPv6 address; `others`: one of many addresses in that minute.
       * @example 192.168.0.7
       */
      address: string;
      /**
       * @description Number of refusals.
       * @example 130
       */
      count: number;
      /**
       * Format: date-time
       * @description The first of them.
       * @example 2026-11-20T09:30:00.000Z
       */
      first_at: string;
      /**
       * Format: date-time
       * @description The last of them.
       * @example 2026-11-20T09:30:00.000Z
       */
      last_at: string;
      /**
       * @description What the last request tried.
       * @example GET /api/tasks/{task_name}
       */
      action: string;
      /** @description Id of the last request in the log. */
      request_id: string | null;
    };
    /** @description An event of one record. */
    ServiceEvent: {
      /**
       * @description Number of the event. It rises with every event, in the order of the commits. It may have gaps.
       * @example 1841
       */
      id: number;
      /**
       * @description `<kind>.<what happened>`, for most kinds the new state of the record. The kinds are task_run, attempt, protocol_run, campaign, trial, device, device_file, agent, rollout, attention, halt, resource, lab, protocol.
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
       * @description Number of the event within the aggregate, from 1, without gaps.
       * @example 4
       */
      seq: number;
      /**
       * Format: date-time
       * @description When the service decided it.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /** @description The record at that moment, in short. Fields may be added. Within a version none is removed, and none changes its meaning. */
      body: {
        [key: string]: unknown;
      };
    };
    EventPage: {
      items: components['schemas']['ServiceEvent'][];
      /** @description Leads to the next page; null: this is the last page. */
      next_cursor: string | null;
    };
    /** @description A line that the code of a task or of a device wrote. */
    LogLine: {
      /**
       * @description Number of the line. It rises with every line, in the order of storage. It may have gaps.
       * @example 5120
       */
      id: number;
      /**
       * Format: date-time
       * @description When the line was written, by the clock of its computer.
       * @example 2026-11-20T09:30:00.000Z
       */
      at: string;
      /**
       * @description Severity of the line.
       * @enum {string}
       */
      level: 'debug' | 'info' | 'warn' | 'error';
      /**
       * @description What wrote the line: the code of a task, the code of a device, or the service. The service writes about lines that it had to drop.
       * @enum {string}
       */
      source: 'task' | 'device' | 'service';
      /**
       * @description Computer on which the line was written.
       * @example svc_computer
       */
      computer: string;
      /** @description Laboratory of the device that wrote the line. */
      lab: string | null;
      /** @description Name of the device that wrote the line. */
      device: string | null;
      /** @description Id of the task run that wrote the line. */
      task_run_id: string | null;
      /**
       * @description Name of the task that wrote the line.
       * @example mix_colors
       */
      task: string | null;
      /**
       * @description Protocol run of that task.
       * @example mix_1
       */
      protocol_run: string | null;
      /** @description Campaign of that protocol run. */
      campaign: string | null;
      /** @description Id of the attempt that wrote the line. */
      attempt_id: string | null;
      /**
       * @description Number of that attempt, from 1.
       * @example 1
       */
      attempt: number | null;
      /**
       * @description The text; after 8 KiB it is cut.
       * @example dispensing 3.2 mL
       */
      message: string;
    };
    NewWebhookRecord: {
      /** @description Id of the webhook. */
      id: string;
      /**
       * @description Address that the service sends events to.
       * @example https://receiver.example.org/lab
       */
      url: string;
      /**
       * @description What the webhook is for.
       * @example chat of the group
       */
      description: string;
      filters: components['schemas']['WebhookFilters'];
      /** @description What the service adds to the body of events of work. */
      include: ('meta' | 'outputs')[];
      /** @description False: the service sends nothing. */
      enabled: boolean;
      /**
       * @description `failing`: the receiver did not accept the last attempts. `disabled`: by a person, or with a `reason` by the service: after 5 days of failures, when the receiver answered 410, or when events were removed before they were sent.
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
         * @description The reason in words.
         * @example the receiver answered 503
         */
        message: string;
      } | null;
      /**
       * Format: date-time
       * @description Since when the receiver has accepted no attempt; null: it accepted the last one, or there was none.
       * @example 2026-11-20T09:30:00.000Z
       */
      failing_since: string | null;
      /**
       * @description Id of an event. All events up to this one that pass the filters are among the deliveries.
       * @example 1841
       */
      position: number;
      /**
       * Format: date-time
       * @description Until when the secret before the last rotation signs as well; null: it does not.
       * @example 2026-11-20T09:30:00.000Z
       */
      previous_secret_until: string | null;
      /**
       * Format: date-time
       * @description When the webhook was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Person who made the webhook.
       * @example root
       */
      created_by: string;
      /**
       * Format: date-time
       * @description When a person last changed the webhook.
       * @example 2026-11-20T09:30:00.000Z
       */
      changed_at: string;
      /** @description The secret. The service cannot show it again. */
      secret: string;
    };
    WebhookFilters: {
      /**
       * @description Types or kinds of events, separated by commas.
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
       * @description Only events of this campaign, its runs, and their tasks, attempts and trials.
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
    WebhookSubmission: {
      /**
       * @description Address that the service sends events to. It uses TLS and leads to a machine on the public internet, unless the configuration allows others.
       * @example https://receiver.example.org/lab
       */
      url: string;
      /**
       * @description What the webhook is for.
       * @example chat of the group
       */
      description?: string;
      /** @description Which events the webhook gets. Absent: all. */
      filters?: components['schemas']['WebhookFilters'];
      /**
       * @description What the service adds to the body of events. `meta`: the `meta` of the task, protocol run or campaign. `outputs`: at the end of a task or protocol run its `output_parameters`. Default: nothing.
       * @example [
       *       "meta",
       *       "outputs"
       *     ]
       */
      include?: ('meta' | 'outputs')[];
      /** @description False: the service sends nothing. */
      enabled?: boolean;
      /**
       * @description Id of the event after which the webhook begins, like `after` of `GET /api/events`; 0: at the oldest event. Absent: from now on.
       * @example 1841
       */
      from?: number;
    };
    WebhookRecord: {
      /** @description Id of the webhook. */
      id: string;
      /**
       * @description Address that the service sends events to.
       * @example https://receiver.example.org/lab
       */
      url: string;
      /**
       * @description What the webhook is for.
       * @example chat of the group
       */
      description: string;
      filters: components['schemas']['WebhookFilters'];
      /** @description What the service adds to the body of events of work. */
      include: ('meta' | 'outputs')[];
      /** @description False: the service sends nothing. */
      enabled: boolean;
      /**
       * @description `failing`: the receiver did not accept the last attempts. `disabled`: by a person, or with a `reason` by the service: after 5 days of failures, when the receiver answered 410, or when events were removed before they were sent.
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
         * @description The reason in words.
         * @example the receiver answered 503
         */
        message: string;
      } | null;
      /**
       * Format: date-time
       * @description Since when the receiver has accepted no attempt; null: it accepted the last one, or there was none.
       * @example 2026-11-20T09:30:00.000Z
       */
      failing_since: string | null;
      /**
       * @description Id of an event. All events up to this one that pass the filters are among the deliveries.
       * @example 1841
       */
      position: number;
      /**
       * Format: date-time
       * @description Until when the secret before the last rotation signs as well; null: it does not.
       * @example 2026-11-20T09:30:00.000Z
       */
      previous_secret_until: string | null;
      /**
       * Format: date-time
       * @description When the webhook was made.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * @description Person who made the webhook.
       * @example root
       */
      created_by: string;
      /**
       * Format: date-time
       * @description When a person last changed the webhook.
       * @example 2026-11-20T09:30:00.000Z
       */
      changed_at: string;
    };
    WebhookChange: {
      /**
       * @description Address that the service sends events to. It uses TLS and leads to a machine on the public internet, unless the configuration allows others.
       * @example https://receiver.example.org/lab
       */
      url?: string;
      /**
       * @description What the webhook is for.
       * @example chat of the group
       */
      description?: string;
      /** @description Which events the webhook gets. Absent: all. */
      filters?: components['schemas']['WebhookFilters'];
      /**
       * @description What the service adds to the body of events. `meta`: the `meta` of the task, protocol run or campaign. `outputs`: at the end of a task or protocol run its `output_parameters`. Default: nothing.
       * @example [
       *       "meta",
       *       "outputs"
       *     ]
       */
      include?: ('meta' | 'outputs')[];
      /** @description False: the service sends nothing. */
      enabled?: boolean;
    };
    SecretRotation: {
      /**
       * @description Seconds for which the old secret signs beside the new one. Default: 86400, a day. 0: not at all.
       * @example 3600
       */
      overlap_s?: number;
    };
    WebhookReplay: {
      /**
       * @description Id of the event after which the webhook continues; 0: at the oldest event, if the service has removed none yet.
       * @example 1841
       */
      from: number;
    };
    DeliveryRecord: {
      /** @description Id of the delivery. */
      id: string;
      /** @description Id of the webhook. */
      webhook_id: string;
      /**
       * @description The header `webhook-id`. It is the same for every attempt, and when the service sends the event again later.
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
       * @description Record that the event is about.
       * @example campaign/0190c0de-0000-7000-8000-000000000003
       */
      aggregate: string;
      /**
       * @description `given_up`: not accepted in 15 attempts, and not tried any more.
       * @enum {string}
       */
      state: 'pending' | 'delivered' | 'given_up';
      /**
       * @description Attempts since the delivery was last requested.
       * @example 2
       */
      attempts: number;
      /**
       * Format: date-time
       * @description When the service recorded the delivery.
       * @example 2026-11-20T09:30:00.000Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the last attempt ended; null: there was none.
       * @example 2026-11-20T09:30:00.000Z
       */
      attempted_at: string | null;
      /**
       * Format: date-time
       * @description The earliest moment of the next attempt; null: there will be none.
       * @example 2026-11-20T09:30:00.000Z
       */
      next_attempt_at: string | null;
      /**
       * @description HTTP status of the last answer; null: there was none.
       * @example 503
       */
      status: number | null;
      /**
       * @description Milliseconds that the last attempt took.
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
    HealthReport: {
      /**
       * @description `unavailable`: a part that requests need is unavailable. `degraded`: a part does less than it should.
       * @enum {string}
       */
      status: 'ok' | 'degraded' | 'unavailable';
      /**
       * @description Leadership epoch of the orchestrator that answered; null: none answered.
       * @example 3
       */
      epoch: number | null;
      parts: {
        gateway: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of the part there is, or why its status is not `ok`. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when the part has this status, as far as the gateway knows; absent for `ok`.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        broker: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of the part there is, or why its status is not `ok`. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when the part has this status, as far as the gateway knows; absent for `ok`.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        database: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of the part there is, or why its status is not `ok`. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when the part has this status, as far as the gateway knows; absent for `ok`.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        orchestrator: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of the part there is, or why its status is not `ok`. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when the part has this status, as far as the gateway knows; absent for `ok`.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        agents: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of the part there is, or why its status is not `ok`. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when the part has this status, as far as the gateway knows; absent for `ok`.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
        packages: {
          /** @enum {string} */
          status: 'ok' | 'degraded' | 'unavailable';
          /** @description How much of the part there is, or why its status is not `ok`. */
          detail?: string;
          /**
           * Format: date-time
           * @description Since when the part has this status, as far as the gateway knows; absent for `ok`.
           * @example 2026-11-20T09:30:00.000Z
           */
          since?: string;
        };
      };
    };
    ServiceSummary: {
      /**
       * @description What this is.
       * @example Laboratory orchestration service
       */
      name: string;
      /**
       * @description Version of the program.
       * @example 0.1.0
       */
      version: string;
      health: components['schemas']['HealthReport'];
      /** @description null: the caller has no role `viewer` for all laboratories, or the service cannot tell at this moment. */
      work: {
        /**
         * @description Task runs that have not started.
         * @example 5
         */
        waiting: number;
        /**
         * @description Task runs that run.
         * @example 2
         */
        running: number;
        /**
         * @description Attention items that wait for a person; 500 means 500 or more.
         * @example 1
         */
        open_questions: number;
      } | null;
      /** @description What an upgrade begins with. null: the caller has no role `viewer` for all laboratories, or the service cannot tell at this moment. */
      release: {
        /**
         * @description Version of the orchestrator that leads.
         * @example 0.2.0
         */
        orchestrator: string;
        schema: {
          /**
           * @description Last migration of the database.
           * @example 0017_schema_reader
           */
          latest: string;
          /**
           * @description Last migration of the oldest release that works with the database.
           * @example 0017_schema_reader
           */
          oldest_reader: string;
          /**
           * @description Last migration that the gateway knows.
           * @example 0017_schema_reader
           */
          known: string;
        };
      } | null;
      /** @description Where to go on. */
      links: {
        /**
         * @description Description of the REST interface.
         * @example /docs
         */
        api: string;
        /**
         * @description The guide, in Markdown.
         * @example /guide/README.md
         */
        guide: string;
        /**
         * @description Whether the service can do its work.
         * @example /health/ready
         */
        health: string;
        /**
         * @description Metrics for Prometheus.
         * @example /metrics
         */
        metrics: string;
      };
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type LabRecord = components['schemas']['LabRecord'];
export type Problem = components['schemas']['Problem'];
export type LabChange = components['schemas']['LabChange'];
export type LoadedDevice = components['schemas']['LoadedDevice'];
export type LabSelection = components['schemas']['LabSelection'];
export type ProtocolChange = components['schemas']['ProtocolChange'];
export type ProtocolSelection = components['schemas']['ProtocolSelection'];
export type Validation = components['schemas']['Validation'];
export type Fault = components['schemas']['Fault'];
export type ProtocolText = components['schemas']['ProtocolText'];
export type TaskTypeChange = components['schemas']['TaskTypeChange'];
export type TaskTypeSelection = components['schemas']['TaskTypeSelection'];
export type PackageRecord = components['schemas']['PackageRecord'];
export type CodeRecord = components['schemas']['CodeRecord'];
export type DefinitionSummary = components['schemas']['DefinitionSummary'];
export type DefinitionRecord = components['schemas']['DefinitionRecord'];
export type PackageVersionRecord = components['schemas']['PackageVersionRecord'];
export type DeletedPackageVersion = components['schemas']['DeletedPackageVersion'];
export type PackageActivationRecord = components['schemas']['PackageActivationRecord'];
export type PackageActivation = components['schemas']['PackageActivation'];
export type PackageVersions = components['schemas']['PackageVersions'];
export type SimulationRecord = components['schemas']['SimulationRecord'];
export type WaitingTimes = components['schemas']['WaitingTimes'];
export type SimulatedRunRecord = components['schemas']['SimulatedRunRecord'];
export type SimulatedTaskRecord = components['schemas']['SimulatedTaskRecord'];
export type SimulatedUnitRecord = components['schemas']['SimulatedUnitRecord'];
export type SimulationScenario = components['schemas']['SimulationScenario'];
export type SimulatedScheduler = components['schemas']['SimulatedScheduler'];
export type SimulatedRuns = components['schemas']['SimulatedRuns'];
export type SimulatedCampaign = components['schemas']['SimulatedCampaign'];
export type SimulatedTasks = components['schemas']['SimulatedTasks'];
export type DeviceReference = components['schemas']['DeviceReference'];
export type SimulatedPace = components['schemas']['SimulatedPace'];
export type SimulatedFailure = components['schemas']['SimulatedFailure'];
export type SimulatedCall = components['schemas']['SimulatedCall'];
export type SimulatedLoss = components['schemas']['SimulatedLoss'];
export type WhatIfRecord = components['schemas']['WhatIfRecord'];
export type ProtocolRunSubmission = components['schemas']['ProtocolRunSubmission'];
export type TaskFailurePolicy = components['schemas']['TaskFailurePolicy'];
export type RetryPolicy = components['schemas']['RetryPolicy'];
export type SubmissionEstimate = components['schemas']['SubmissionEstimate'];
export type ProtocolRunRecord = components['schemas']['ProtocolRunRecord'];
export type Reason = components['schemas']['Reason'];
export type TaskRunRecord = components['schemas']['TaskRunRecord'];
export type ResourceValue = components['schemas']['ResourceValue'];
export type InputFileRecord = components['schemas']['InputFileRecord'];
export type FileRecord = components['schemas']['FileRecord'];
export type ProtocolRunSummary = components['schemas']['ProtocolRunSummary'];
export type OperatorNote = components['schemas']['OperatorNote'];
export type ProtocolRunChange = components['schemas']['ProtocolRunChange'];
export type CampaignSubmission = components['schemas']['CampaignSubmission'];
export type CampaignRecord = components['schemas']['CampaignRecord'];
export type KeptOptimizer = components['schemas']['KeptOptimizer'];
export type SettingField = components['schemas']['SettingField'];
export type CampaignSummary = components['schemas']['CampaignSummary'];
export type CampaignResumption = components['schemas']['CampaignResumption'];
export type CampaignChange = components['schemas']['CampaignChange'];
export type RuntimeParameters = components['schemas']['RuntimeParameters'];
export type InsightRecord = components['schemas']['InsightRecord'];
export type InsightSubmission = components['schemas']['InsightSubmission'];
export type OptimizerRecord = components['schemas']['OptimizerRecord'];
export type Trial = components['schemas']['Trial'];
export type JournalEntry = components['schemas']['JournalEntry'];
export type OptimizerDescription = components['schemas']['OptimizerDescription'];
export type TaskSubmission = components['schemas']['TaskSubmission'];
export type AttemptRecord = components['schemas']['AttemptRecord'];
export type TaskChange = components['schemas']['TaskChange'];
export type TaskFileRecord = components['schemas']['TaskFileRecord'];
export type EffectRecord = components['schemas']['EffectRecord'];
export type AuditRecord = components['schemas']['AuditRecord'];
export type ResourceRecord = components['schemas']['ResourceRecord'];
export type ResourceChange = components['schemas']['ResourceChange'];
export type ResourceReset = components['schemas']['ResourceReset'];
export type ResourceUse = components['schemas']['ResourceUse'];
export type DeletionRecord = components['schemas']['DeletionRecord'];
export type RemovedCounts = components['schemas']['RemovedCounts'];
export type DeletionRequest = components['schemas']['DeletionRequest'];
export type LegalHoldRecord = components['schemas']['LegalHoldRecord'];
export type LegalHoldRequest = components['schemas']['LegalHoldRequest'];
export type DeviceFileRecord = components['schemas']['DeviceFileRecord'];
export type DeviceFileAttachment = components['schemas']['DeviceFileAttachment'];
export type DeviceFileDeletion = components['schemas']['DeviceFileDeletion'];
export type DeviceRecord = components['schemas']['DeviceRecord'];
export type DeviceDetail = components['schemas']['DeviceDetail'];
export type DeviceDisable = components['schemas']['DeviceDisable'];
export type DeviceRestart = components['schemas']['DeviceRestart'];
export type AgentRecord = components['schemas']['AgentRecord'];
export type DrainSubmission = components['schemas']['DrainSubmission'];
export type AttentionRecord = components['schemas']['AttentionRecord'];
export type AttentionResolution = components['schemas']['AttentionResolution'];
export type AttentionClaimRequest = components['schemas']['AttentionClaimRequest'];
export type EmergencyStopReport = components['schemas']['EmergencyStopReport'];
export type StoppedDevice = components['schemas']['StoppedDevice'];
export type EmergencyStopRequest = components['schemas']['EmergencyStopRequest'];
export type EmergencyStopRecord = components['schemas']['EmergencyStopRecord'];
export type EmergencyStopRelease = components['schemas']['EmergencyStopRelease'];
export type DrainRecord = components['schemas']['DrainRecord'];
export type DrainedWork = components['schemas']['DrainedWork'];
export type DrainedTask = components['schemas']['DrainedTask'];
export type QueuePage = components['schemas']['QueuePage'];
export type QueuedTask = components['schemas']['QueuedTask'];
export type WaitCause = components['schemas']['WaitCause'];
export type QueueRecord = components['schemas']['QueueRecord'];
export type UsageRecord = components['schemas']['UsageRecord'];
export type ReservationRecord = components['schemas']['ReservationRecord'];
export type ReservationRequest = components['schemas']['ReservationRequest'];
export type ScheduleRecord = components['schemas']['ScheduleRecord'];
export type PlanRecord = components['schemas']['PlanRecord'];
export type ScheduledTask = components['schemas']['ScheduledTask'];
export type ScheduledUnit = components['schemas']['ScheduledUnit'];
export type ScheduledRun = components['schemas']['ScheduledRun'];
export type ScheduledCampaign = components['schemas']['ScheduledCampaign'];
export type Principal = components['schemas']['Principal'];
export type Grant = components['schemas']['Grant'];
export type PipelineOrigin = components['schemas']['PipelineOrigin'];
export type NewTokenRecord = components['schemas']['NewTokenRecord'];
export type TokenSubmission = components['schemas']['TokenSubmission'];
export type GrantSubmission = components['schemas']['GrantSubmission'];
export type TokenPage = components['schemas']['TokenPage'];
export type TokenRecord = components['schemas']['TokenRecord'];
export type RevokedTokens = components['schemas']['RevokedTokens'];
export type ExchangedToken = components['schemas']['ExchangedToken'];
export type TokenExchange = components['schemas']['TokenExchange'];
export type SessionRecord = components['schemas']['SessionRecord'];
export type AgentPackageRecord = components['schemas']['AgentPackageRecord'];
export type NewInvitationRecord = components['schemas']['NewInvitationRecord'];
export type InvitationSubmission = components['schemas']['InvitationSubmission'];
export type InvitationRecord = components['schemas']['InvitationRecord'];
export type EnrolmentRecord = components['schemas']['EnrolmentRecord'];
export type RevocationSubmission = components['schemas']['RevocationSubmission'];
export type RolloutRecord = components['schemas']['RolloutRecord'];
export type RolloutSubmission = components['schemas']['RolloutSubmission'];
export type RolloutDecision = components['schemas']['RolloutDecision'];
export type AuditVerification = components['schemas']['AuditVerification'];
export type RefusalRecord = components['schemas']['RefusalRecord'];
export type ServiceEvent = components['schemas']['ServiceEvent'];
export type EventPage = components['schemas']['EventPage'];
export type LogLine = components['schemas']['LogLine'];
export type NewWebhookRecord = components['schemas']['NewWebhookRecord'];
export type WebhookFilters = components['schemas']['WebhookFilters'];
export type WebhookSubmission = components['schemas']['WebhookSubmission'];
export type WebhookRecord = components['schemas']['WebhookRecord'];
export type WebhookChange = components['schemas']['WebhookChange'];
export type SecretRotation = components['schemas']['SecretRotation'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type DeliveryRecord = components['schemas']['DeliveryRecord'];
export type HealthReport = components['schemas']['HealthReport'];
export type ServiceSummary = components['schemas']['ServiceSummary'];
export type $defs = Record<string, never>;
export interface operations {
  get_labs: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'name' | '-name' | 'state' | '-state' | 'package' | '-package';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only laboratories of this package. */
        package?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The laboratories are loaded. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The laboratories are unloaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LabChange'][];
        };
      };
      /** @description Some laboratories change only when their work has ended. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The laboratories are reloaded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LabChange'][];
        };
      };
      /** @description Some laboratories change only when their work has ended. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The protocols are loaded. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The protocols are unloaded. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The protocols are reloaded. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The mistakes and the warnings. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The task types are reloaded. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'name' | '-name';
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Name of the package. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
  get_code_by_hash: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Content hash of the code. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
         */
        hash: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The code. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CodeRecord'];
        };
      };
    };
  };
  post_packages_refresh: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'type' | '-type' | 'name' | '-name' | 'package' | '-package';
        /** @description Only definitions of this type. Several values are separated by commas. */
        type?: string;
        /** @description Only definitions of this package. */
        package?: string;
        /** @description Only definitions of this laboratory, as `labs` has it. */
        lab?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description One of lab, device, task, protocol. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example task
         */
        type: string;
        /**
         * @description Name of the definition. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_colors
         */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The loaded version, and the mistakes in the files. */
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
  put_packages_by_package_name_by_sha256: {
    parameters: {
      query?: {
        /** @description Commit of the sources, for the record and the audit. */
        commit?: string;
        /** @description Author of the commit, for the record and the audit. */
        author?: string;
        /** @description Person who uploads, while authentication is off. */
        by?: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the package. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        package_name: string;
        /**
         * @description SHA-256 of the packed package, hexadecimal. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
         */
        sha256: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/gzip': string;
      };
    };
    responses: {
      /** @description The version is there already. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackageVersionRecord'];
        };
      };
      /** @description The version is stored. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackageVersionRecord'];
        };
      };
    };
  };
  delete_packages_by_package_name_by_sha256: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the package. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        package_name: string;
        /**
         * @description SHA-256 of the packed package, hexadecimal. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
         */
        sha256: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The version is deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletedPackageVersion'];
        };
      };
    };
  };
  'post_packages_by_package_name_by_sha256_dry-run': {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the package. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        package_name: string;
        /**
         * @description SHA-256 of the packed package, hexadecimal. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66
         */
        sha256: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/gzip': string;
      };
    };
    responses: {
      /** @description What the activation would change. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackageActivationRecord'];
        };
      };
    };
  };
  post_packages_by_package_name_activate: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the package. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        package_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PackageActivation'];
      };
    };
    responses: {
      /** @description The version is active, and its devices are usable. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackageActivationRecord'];
        };
      };
      /** @description The version becomes active when work has ended. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackageActivationRecord'];
        };
      };
    };
  };
  get_packages_by_package_name_versions: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the package. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        package_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The versions, newest first, and which one is active. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PackageVersions'];
        };
      };
    };
  };
  post_simulations: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The predicted course of the scenario. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description When the tasks of the run would start and end, and which other work the run would delay. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
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
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only runs of this protocol. */
        type?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only runs whose protocol names this laboratory. */
        lab?: string;
        /** @description Only records that were created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were created before this moment (ISO 8601). */
        until?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
        /** @description `false`: only records that are not archived. `true`: only archived records. `all`: both. */
        archived?: 'false' | 'true' | 'all';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Runs without their tasks. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ProtocolRunSummary'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_protocols: {
    parameters: {
      query?: {
        /** @description True: the service checks the submission as usual and predicts its course. It stores nothing and ignores `Idempotency-Key`. */
        dry_run?: boolean;
      };
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description With `dry_run=true`: the service would accept the submission. */
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
            /** @description The submission with the defaults of all absent fields and with hidden secrets. If it resumes work: the submission as given. */
            resolved: components['schemas']['ProtocolRunSubmission'];
            estimate: components['schemas']['SubmissionEstimate'];
            /** @description Obstacles that are no reason to refuse the submission. */
            warnings: string[];
          };
        };
      };
      /** @description The run is accepted. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The run will end. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The run is paused. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The run continues. */
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
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The run after the change. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
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
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only campaigns of this protocol. */
        protocol?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only campaigns whose protocol names this laboratory. */
        lab?: string;
        /** @description Only records that were created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were created before this moment (ISO 8601). */
        until?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
        /** @description `false`: only records that are not archived. `true`: only archived records. `all`: both. */
        archived?: 'false' | 'true' | 'all';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Campaigns without their runs. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['CampaignSummary'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_campaigns: {
    parameters: {
      query?: {
        /** @description True: the service checks the submission as usual and predicts its course. It stores nothing and ignores `Idempotency-Key`. */
        dry_run?: boolean;
      };
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description With `dry_run=true`: the service would accept the submission. */
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
            /** @description The submission with the defaults of all absent fields and with hidden secrets. If it resumes work: the submission as given. */
            resolved: components['schemas']['CampaignSubmission'];
            estimate: components['schemas']['SubmissionEstimate'];
            /** @description Obstacles that are no reason to refuse the submission. */
            warnings: string[];
          };
        };
      };
      /** @description The campaign is accepted. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The campaign will end. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The campaign is paused. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The campaign continues. */
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
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The campaign. Its runs are a separate list. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The campaign after the change. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
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
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only records that were created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were created before this moment (ISO 8601). */
        until?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Runs in the order of their creation, without their tasks. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ProtocolRunSummary'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  put_campaigns_by_campaign_name_optimizer_params: {
    parameters: {
      query?: {
        /** @description Who makes the change, for the audit. */
        by?: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description All runtime parameters after the change. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The hint is queued. */
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
        /** @description True: the service asks the model of the optimizer what it has learned. This may take seconds. */
        explain?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
  get_campaigns_by_campaign_name_optimizer_journal: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'number' | '-number';
        /** @description Only entries of trials from this source. Several values are separated by commas. */
        source?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example find_teal
         */
        campaign_name: string;
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
            items: components['schemas']['JournalEntry'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_campaigns_by_campaign_name_trials: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'number' | '-number';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only trials from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only trials with a higher number than this. */
        after?: number;
      };
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_protocols_by_protocol_type_optimizer_defaults: {
    parameters: {
      query?: {
        /** @description Computer whose optimizer worker is asked. Default: 127.0.0.1. */
        optimizer_ip?: string;
      };
      header?: never;
      path: {
        /**
         * @description Type name of the protocol. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description UTF-8 with a header row, as RFC 4180 says. A table that breaks off lacks the end of its transfer encoding. */
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
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description UTF-8 with a header row, as RFC 4180 says. A table that breaks off lacks the end of its transfer encoding. */
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
  'get_effects.csv': {
    parameters: {
      query?: {
        /** @description Only calls of devices of this laboratory. */
        lab?: string;
        /** @description Only calls of devices with this name. */
        device?: string;
        /** @description Only calls of this function. */
        function?: string;
        /** @description Only calls of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only calls of the attempt with this id. */
        attempt?: string;
        /** @description Only calls of this person. */
        person?: string;
        /** @description Only calls of devices with this code. */
        code_hash?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only records that were begun at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were begun before this moment (ISO 8601). */
        until?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description UTF-8 with a header row, as RFC 4180 says. A table that breaks off lacks the end of its transfer encoding. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Type name of a loaded protocol. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
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
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only tasks of this type. */
        type?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only tasks of this laboratory: tasks of runs whose protocol names it, and tasks that got one of its devices or resources. */
        lab?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only tasks that got this device, as `<lab>.<device>`. */
        device?: string;
        /** @description Only records that were created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were created before this moment (ISO 8601). */
        until?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
        /** @description `false`: only records that are not archived. `true`: only archived records. `all`: both. */
        archived?: 'false' | 'true' | 'all';
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
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_tasks: {
    parameters: {
      query?: {
        /** @description True: the service checks the submission as usual and predicts its course. It stores nothing and ignores `Idempotency-Key`. */
        dry_run?: boolean;
      };
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description With `dry_run=true`: the service would accept the submission. */
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
            /** @description The submission with the defaults of all absent fields and with hidden secrets. If it resumes work: the submission as given. */
            resolved: components['schemas']['TaskSubmission'];
            estimate: components['schemas']['SubmissionEstimate'];
            /** @description Obstacles that are no reason to refuse the submission. */
            warnings: string[];
          };
        };
      };
      /** @description The task is accepted. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The task will end. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'number' | '-number';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only records of this computer. */
        computer?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Attempts by number, from 1. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['AttemptRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The task after the change. */
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
         * @description Id of the task run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'created_at' | '-created_at' | 'state' | '-state' | 'computer' | '-computer';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only attempts of tasks with this name. */
        task?: string;
        /** @description Only attempts of tasks of this laboratory. */
        lab?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only attempts that had this device, as `<lab>.<device>`. */
        device?: string;
        /** @description Only records that were created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were created before this moment (ISO 8601). */
        until?: string;
        /** @description `false`: only records that are not archived. `true`: only archived records. `all`: both. */
        archived?: 'false' | 'true' | 'all';
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Id of the attempt. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'created_at' | '-created_at';
        /** @description Only files of tasks with this name. */
        task?: string;
        /** @description Only files of tasks of this laboratory. */
        lab?: string;
        /** @description Only files of tasks of this type. */
        type?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only records that were created by their task at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were created by their task before this moment (ISO 8601). */
        until?: string;
        /** @description Only files whose name contains this text. */
        text?: string;
        /** @description `false`: only records that are not archived. `true`: only archived records. `all`: both. */
        archived?: 'false' | 'true' | 'all';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Files of the newest tasks first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['TaskFileRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_effects: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'began_at' | '-began_at';
        /** @description Only calls of devices of this laboratory. */
        lab?: string;
        /** @description Only calls of devices with this name. */
        device?: string;
        /** @description Only calls of this function. */
        function?: string;
        /** @description Only calls of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only calls of the attempt with this id. */
        attempt?: string;
        /** @description Only calls of this person. */
        person?: string;
        /** @description Only calls of devices with this code. */
        code_hash?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only records that were begun at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were begun before this moment (ISO 8601). */
        until?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['EffectRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_effects_by_id: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Id of the call. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000a
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The call. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EffectRecord'];
        };
      };
    };
  };
  get_audit: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'seq' | '-seq' | 'at' | '-at';
        /** @description Only acts of this person. */
        by?: string;
        /** @description Only acts of this kind, for example `queue.pause`. */
        action?: string;
        /** @description Only acts on this, for example `campaign/sweep`. */
        subject?: string;
        /** @description Only records that were done at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were done before this moment (ISO 8601). */
        until?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Id of the entry. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'name' | '-name' | 'type' | '-type' | 'lab' | '-lab';
        /** @description Only resources of this type. */
        type?: string;
        /** @description Only resources of this laboratory. */
        lab?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Name of the resource. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example beaker_1
         */
        resource_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The resource and its holder. */
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
  patch_resources_by_resource_name: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the resource. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example beaker_1
         */
        resource_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResourceChange'];
      };
    };
    responses: {
      /** @description The resource after the change. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the resource. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The resource after the reset. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'started_at' | '-started_at';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only uses and resets at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only uses and resets before this moment (ISO 8601). */
        until?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the resource. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example beaker_1
         */
        resource_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Latest use first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ResourceUse'][];
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of a protocol run that belongs to no campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of a protocol run that belongs to no campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the on-demand task. The latest task of that name is meant. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the on-demand task. The latest task of that name is meant. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
  post_campaigns_by_campaign_name_delete: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeletionRequest'];
      };
    };
    responses: {
      /** @description The deletion. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletionRecord'];
        };
      };
    };
  };
  post_campaigns_by_campaign_name_keep: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The deletion. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletionRecord'];
        };
      };
    };
  };
  post_protocols_by_protocol_run_name_delete: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of a protocol run that belongs to no campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeletionRequest'];
      };
    };
    responses: {
      /** @description The deletion. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletionRecord'];
        };
      };
    };
  };
  post_protocols_by_protocol_run_name_keep: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of a protocol run that belongs to no campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The deletion. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletionRecord'];
        };
      };
    };
  };
  post_tasks_by_task_name_delete: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the on-demand task. The latest task of that name is meant. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example rinse_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeletionRequest'];
      };
    };
    responses: {
      /** @description The deletion. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletionRecord'];
        };
      };
    };
  };
  post_tasks_by_task_name_keep: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the on-demand task. The latest task of that name is meant. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The deletion. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletionRecord'];
        };
      };
    };
  };
  get_deletions: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'created_at' | '-created_at' | 'due_at' | '-due_at' | 'name' | '-name' | 'state' | '-state';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only deletions of this kind of work. Several values are separated by commas. */
        kind?: string;
        /** @description Only deletions of work of this owner. */
        owner?: string;
        /** @description Only deletions of work of this laboratory. */
        lab?: string;
        /** @description Only deletions that this person asked for. */
        by?: string;
        /** @description Only records that were asked for at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were asked for before this moment (ISO 8601). */
        until?: string;
        /** @description Only deletions of work whose name contains this text, in upper or lower case. */
        text?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['DeletionRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  'get_legal-holds': {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'created_at' | '-created_at' | 'kind' | '-kind' | 'name' | '-name';
        /** @description Only holds of this kind. Several values are separated by commas. */
        kind?: string;
        /** @description Only holds of this person. */
        by?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By their beginning. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LegalHoldRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  'post_legal-holds': {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LegalHoldRequest'];
      };
    };
    responses: {
      /** @description The hold. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LegalHoldRecord'];
        };
      };
    };
  };
  'post_legal-holds_by_id_release': {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the legal hold. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000e
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description The hold that was released. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LegalHoldRecord'];
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
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Post it to `/api/tasks`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            submission: components['schemas']['TaskSubmission'];
            /** @description Paths of values that the submission lacks: secrets, which nobody can read, so that the person who submits it gives them again; and files of other tasks, which only a protocol can pass on. */
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
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Post it to `/api/protocols`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            submission: components['schemas']['ProtocolRunSubmission'];
            /** @description Paths of values that the submission lacks: secrets, which nobody can read, so that the person who submits it gives them again; and files of other tasks, which only a protocol can pass on. */
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
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Post it to `/api/campaigns`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            submission: components['schemas']['CampaignSubmission'];
            /** @description Paths of values that the submission lacks: secrets, which nobody can read, so that the person who submits it gives them again; and files of other tasks, which only a protocol can pass on. */
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
         * @description One range of bytes. A request with several ranges gets the whole file.
         * @example bytes=1000-1999
         */
        Range?: string;
        /** @description `ETag` of the file of which the client has a part. If it differs, the whole file is sent. */
        'If-Range'?: string;
      };
      path: {
        /**
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example score_1
         */
        task_name: string;
        /**
         * @description Name of the file. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example image.png
         */
        file_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The bytes that the task produced. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description The requested part. */
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
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example score_1
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The archive. It is empty when there are no files. */
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
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The archive. It is empty when there are no files. */
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
  'get_campaigns_by_campaign_name_files.zip': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The archive. It is empty when there are no files. */
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
  'get_device-files': {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'made_at' | '-made_at' | 'stored_at' | '-stored_at';
        /** @description Only files of devices of this laboratory. */
        lab?: string;
        /** @description Only files of devices with this name. */
        device?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only files of tasks with this name. */
        task?: string;
        /** @description Only files of the task run with this id. */
        task_run?: string;
        /** @description Only files of the attempt with this id. */
        attempt?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only files whose attempt was found so. Several values are separated by commas. */
        matched?: string;
        /** @description True: only files that belong to no attempt. */
        loose?: boolean;
        /** @description Only records that were made at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were made before this moment (ISO 8601). */
        until?: string;
        /** @description Only files whose path contains this text. */
        text?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The newest first, by the time when the instrument made them. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['DeviceFileRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_labs_by_lab_id_devices_by_device_id_files_by_file_id: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
        /**
         * @description Id of the file. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f
         */
        file_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The file. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeviceFileRecord'];
        };
      };
    };
  };
  get_labs_by_lab_id_devices_by_device_id_files_by_file_id_content: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description One range of bytes. A request with several ranges gets the whole file.
         * @example bytes=1000-1999
         */
        Range?: string;
        /** @description `ETag` of the file of which the client has a part. If it differs, the whole file is sent. */
        'If-Range'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
        /**
         * @description Id of the file. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f
         */
        file_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The bytes that the instrument wrote. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description The requested part. */
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
  post_labs_by_lab_id_devices_by_device_id_files_by_file_id_attach: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
        /**
         * @description Id of the file. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f
         */
        file_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceFileAttachment'];
      };
    };
    responses: {
      /** @description The file, which belongs to the latest attempt of the task now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeviceFileRecord'];
        };
      };
    };
  };
  post_labs_by_lab_id_devices_by_device_id_files_by_file_id_delete: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
        /**
         * @description Id of the file. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f
         */
        file_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceFileDeletion'];
      };
    };
    responses: {
      /** @description The file. Its deletion begins at `delete_due_at`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeviceFileRecord'];
        };
      };
    };
  };
  post_labs_by_lab_id_devices_by_device_id_files_by_file_id_keep: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
        /**
         * @description Id of the file. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f
         */
        file_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description The file, which stays. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeviceFileRecord'];
        };
      };
    };
  };
  get_devices: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
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
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only devices of this type. */
        type?: string;
        /** @description Only devices of this laboratory. */
        lab?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only records whose name contains this text, in upper or lower case. */
        text?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_labs_by_lab_id_devices_by_device_id: {
    parameters: {
      query?: {
        /** @description True: the service also asks the device for its report. */
        report?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
  post_labs_by_lab_id_devices_by_device_id_disable: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceDisable'];
      };
    };
    responses: {
      /** @description The device out of service. */
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
  post_labs_by_lab_id_devices_by_device_id_enable: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description The device in service. */
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
  post_labs_by_lab_id_devices_by_device_id_restart: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeviceRestart'];
      };
    };
    responses: {
      /** @description The device; its restart has begun. */
      202: {
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
        /** @description True: call the function although a task holds the device. */
        force?: boolean;
        /** @description Reason for the audit. Required with `force`. */
        reason?: string;
        /** @description Who calls, for the record. With tokens it is the owner of the token. */
        by?: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example station_1
         */
        device_id: string;
        /**
         * @description Name of a function that the device declares. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The value that the function returned; null when it returned nothing. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'computer' | '-computer' | 'state' | '-state';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only agents of computers of this laboratory. */
        lab?: string;
        /** @description Only agents of computers whose name contains this text, in upper or lower case. */
        text?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Name of the computer. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
  post_agents_by_computer_drain: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the computer. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example bench_b
         */
        computer: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DrainSubmission'];
      };
    };
    responses: {
      /** @description The agent of the drained computer. */
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
  post_agents_by_computer_resume: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the computer. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example bench_b
         */
        computer: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description The agent of the computer, which takes tasks again. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'opened_at' | '-opened_at' | 'kind' | '-kind' | 'state' | '-state';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only questions about this. Several values are separated by commas. */
        kind?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only questions about tasks of this laboratory and about its devices. */
        lab?: string;
        /** @description Only questions about this device, as `<lab>.<device>`. */
        device?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only records that were opened at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were opened before this moment (ISO 8601). */
        until?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Id of the attention item. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000b
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The known facts and the possible decisions. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the attention item. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The resolved item. */
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
  post_attention_by_id_claim: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the attention item. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000b
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['AttentionClaimRequest'];
      };
    };
    responses: {
      /** @description The claimed item. */
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
  delete_attention_by_id_claim: {
    parameters: {
      query?: {
        /** @description Who had claimed it. With tokens it is the owner of the token. */
        by?: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the attention item. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000b
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The released item. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'engaged_at' | '-engaged_at' | 'scope' | '-scope';
        /** @description True: lists released emergency stops as well. */
        all?: boolean;
        /** @description Only emergency stops with this scope: `all`, `lab:<lab>` or `device:<lab>.<device>`. */
        scope?: string;
        /** @description Only emergency stops of this laboratory, of one of its devices, or of everything. */
        lab?: string;
        /** @description Only emergency stops by this person. */
        by?: string;
        /** @description Only records that were engaged at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were engaged before this moment (ISO 8601). */
        until?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The emergency stop is recorded. `confirmed` says whether everything stopped. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmergencyStopReport'];
        };
      };
      /** @description The emergency stop is not recorded yet. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmergencyStopReport'];
        };
      };
    };
  };
  get_estop_by_id: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Identifier of the emergency stop. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0198a4c2-3d1e-7b6a-9c55-2f6d1c0e8a77
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is known of every device in the scope at this moment. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmergencyStopReport'];
        };
      };
    };
  };
  post_estop_release: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The released emergency stops. */
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
  get_queue_drain: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Whether new work may begin, and the work that has begun and has not ended. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DrainRecord'];
        };
      };
    };
  };
  post_queue_drain: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description Whether new work may begin, and the work that has begun and has not ended. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DrainRecord'];
        };
      };
    };
  };
  post_queue_drain_end: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description Whether new work may begin, and the work that has begun and has not ended. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DrainRecord'];
        };
      };
    };
  };
  get_campaigns_by_campaign_name_drain: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example sweep
         */
        campaign_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Whether new work may begin, and the work that has begun and has not ended. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DrainRecord'];
        };
      };
    };
  };
  post_campaigns_by_campaign_name_drain: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description Whether new work may begin, and the work that has begun and has not ended. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DrainRecord'];
        };
      };
    };
  };
  post_campaigns_by_campaign_name_drain_end: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the campaign. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description Whether new work may begin, and the work that has begun and has not ended. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DrainRecord'];
        };
      };
    };
  };
  get_queue: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'position' | '-position';
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only records of this owner. */
        owner?: string;
        /** @description Only tasks that are planned on a device of this laboratory, or else could get one. */
        lab?: string;
        /** @description Only tasks that are planned on this device, as `<lab>.<device>`, or else could get it. */
        device?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The queue. The task that is considered next comes first. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
  get_usage: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?:
          | 'share'
          | '-share'
          | 'name'
          | '-name'
          | 'records'
          | '-records'
          | 'files'
          | '-files'
          | 'bytes'
          | '-bytes';
        /** @description Only usage of owners, or of laboratories. Several values are separated by commas. */
        kind?: string;
        /** @description Only the usage of the owner or the laboratory with this name. */
        name?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The fullest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['UsageRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_reservations: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'from' | '-from' | 'to' | '-to' | 'lab' | '-lab' | 'by' | '-by';
        /** @description Only reservations of devices and resources of this laboratory. */
        lab?: string;
        /** @description Only reservations of devices with this name. */
        device?: string;
        /** @description Only reservations of this resource. */
        resource?: string;
        /** @description Only reservations of this person. */
        by?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By their beginning. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ReservationRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  post_reservations: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ReservationRequest'];
      };
    };
    responses: {
      /** @description The reservation. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReservationRecord'];
        };
      };
    };
  };
  post_reservations_by_id_end: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the reservation. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000d
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OperatorNote'];
      };
    };
    responses: {
      /** @description The reservation that has ended. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReservationRecord'];
        };
      };
    };
  };
  get_schedule: {
    parameters: {
      query?: {
        /** @description Only this protocol run: its tasks, and the devices and resources that they use. */
        run?: string;
        /** @description Only this device, as `<lab>.<device>`, and the tasks that use it. */
        device?: string;
        /** @description Only the devices of this laboratory, the tasks that use them, and tasks without devices of runs that need the laboratory. */
        lab?: string;
        /** @description Beginning of a window of time, with `to`. The answer has the past, present and planned tasks in it. */
        from?: string;
        /** @description End of the window, which does not belong to it. */
        to?: string;
        /** @description Maximum number of tasks, at most 1,000 without `from` and `to`. Running tasks come first, then the tasks that start or wait first. With `from` and `to`, the tasks that start first. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The schedule at this moment. */
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
        /** @description Maximum number of tokens. */
        limit?: number;
        /** @description `next_cursor` of the previous page. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The new token. */
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
  delete_tokens: {
    parameters: {
      query: {
        /** @description Owner of the tokens, as the list shows it. */
        name: string;
      };
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The number of them. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RevokedTokens'];
        };
      };
    };
  };
  delete_tokens_by_token_id: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the token. It is not the token itself. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 5f1c1f2e-6d0e-4a5c-9a54-0b4f5a4f7f10
         */
        token_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The revoked token. */
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
  post_tokens_exchange: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TokenExchange'];
      };
    };
    responses: {
      /** @description A token of this service that lives for minutes. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExchangedToken'];
        };
      };
    };
  };
  post_sessions: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session. The answer sets its cookie. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SessionRecord'];
        };
      };
    };
  };
  delete_sessions_current: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The number of sessions that ended. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RevokedTokens'];
        };
      };
    };
  };
  'get_agent-packages': {
    parameters: {
      query?: never;
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
          'application/json': components['schemas']['AgentPackageRecord'][];
        };
      };
    };
  };
  get_invitations: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first, without those withdrawn. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvitationRecord'][];
        };
      };
    };
  };
  post_invitations: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['InvitationSubmission'];
      };
    };
    responses: {
      /** @description The invitation, with its token. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewInvitationRecord'];
        };
      };
    };
  };
  delete_invitations_by_invitation_id: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the invitation. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example Jx3qT0aB9cDe
         */
        invitation_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The invitation. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvitationRecord'];
        };
      };
    };
  };
  get_enrolments: {
    parameters: {
      query?: {
        /** @description Whether to include revoked agents. */
        revoked?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By computer; with `revoked`, latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnrolmentRecord'][];
        };
      };
    };
  };
  post_enrolments_by_computer_approve: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the computer. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example bench_b
         */
        computer: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The agent. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnrolmentRecord'];
        };
      };
    };
  };
  post_enrolments_by_computer_revoke: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Name of the computer. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example bench_b
         */
        computer: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['RevocationSubmission'];
      };
    };
    responses: {
      /** @description The revoked agent. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnrolmentRecord'];
        };
      };
    };
  };
  'get_agent-rollouts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The latest 20, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RolloutRecord'][];
        };
      };
    };
  };
  'post_agent-rollouts': {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RolloutSubmission'];
      };
    };
    responses: {
      /** @description The rollout that has begun. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RolloutRecord'];
        };
      };
    };
  };
  'get_agent-rollouts_by_rollout_id': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Id of the rollout. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000e
         */
        rollout_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The rollout as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RolloutRecord'];
        };
      };
    };
  };
  'post_agent-rollouts_by_rollout_id_resume': {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the rollout. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000e
         */
        rollout_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['RolloutDecision'];
      };
    };
    responses: {
      /** @description The rollout, which goes on. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RolloutRecord'];
        };
      };
    };
  };
  'post_agent-rollouts_by_rollout_id_cancel': {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the rollout. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 0190c0de-0000-7000-8000-00000000000e
         */
        rollout_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['RolloutDecision'];
      };
    };
    responses: {
      /** @description The rollout, which has ended. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RolloutRecord'];
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
      /** @description The result of the check. */
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
  get_security_refusals: {
    parameters: {
      query?: {
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'last_at' | '-last_at' | 'count' | '-count';
        /** @description Only refusals of this kind. Several values are separated by commas. */
        kind?: string;
        /** @description Only refusals of this caller. */
        principal?: string;
        /** @description Only refusals of requests from this address. */
        address?: string;
        /** @description Only records that were made at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were made before this moment (ISO 8601). */
        until?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['RefusalRecord'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_events: {
    parameters: {
      query?: {
        /** @description Id of the event behind which to begin; 0: at the oldest. Absent: from now on. */
        after?: number;
        /** @description Only events of these types, separated by commas, at most 20: `task_run.completed`, or `task_run` for all events of that kind. */
        type?: string;
        /** @description Only events of this record, as `<kind>/<id>`. */
        aggregate?: string;
        /** @description Only events of work of this owner. */
        owner?: string;
        /** @description Only events of this campaign, its runs, their tasks, attempts and trials. */
        campaign?: string;
        /** @description Only events of this protocol run, its tasks and their attempts. */
        protocol_run?: string;
        /** @description Only events of this laboratory: of runs whose protocol names it, and of its devices and resources. */
        lab?: string;
      };
      header?: {
        /** @description As `after`, which it overrides. */
        'Last-Event-ID'?: number;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events as they occur. */
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
         * @description The record, as `<kind>/<id>`.
         * @example task_run/0190c0de-0000-7000-8000-000000000001
         */
        aggregate: string;
        /** @description Maximum number of events. */
        limit?: number;
        /** @description `next_cursor` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Oldest first. A record that never existed has no events. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'id' | '-id' | 'at' | '-at';
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices with this name. */
        device?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only lines from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only lines of this severity or a higher one. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only records that were written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines that contain this text, in upper or lower case. */
        text?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order in which the service stored them, latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LogLine'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_logs_stream: {
    parameters: {
      query?: {
        /** @description Id of the line behind which to begin; 0: at the oldest. Absent: from now on. */
        after?: number;
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices with this name. */
        device?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only lines from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only lines of this severity or a higher one. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only records that were written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines that contain this text, in upper or lower case. */
        text?: string;
      };
      header?: {
        /** @description As `after`, which it overrides. */
        'Last-Event-ID'?: number;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines as they occur. */
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
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'id' | '-id' | 'at' | '-at';
        /** @description Only lines of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices with this name. */
        device?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only lines from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only lines of this severity or a higher one. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only records that were written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines that contain this text, in upper or lower case. */
        text?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_colors
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order in which the service stored them, latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LogLine'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_tasks_by_task_name_logs_stream: {
    parameters: {
      query?: {
        /** @description Selects the task of that protocol run instead of an on-demand task. */
        protocol_run_name?: string;
        /** @description Id of the line behind which to begin; 0: at the oldest. Absent: from now on. */
        after?: number;
        /** @description Only lines of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices with this name. */
        device?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only lines from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only lines of this severity or a higher one. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only records that were written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines that contain this text, in upper or lower case. */
        text?: string;
      };
      header?: {
        /** @description As `after`, which it overrides. */
        'Last-Event-ID'?: number;
      };
      path: {
        /**
         * @description Name of the task. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_colors
         */
        task_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines as they occur. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'id' | '-id' | 'at' | '-at';
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices with this name. */
        device?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only lines from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only lines of this severity or a higher one. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only records that were written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines that contain this text, in upper or lower case. */
        text?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order in which the service stored them, latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LogLine'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_protocols_by_protocol_run_name_logs_stream: {
    parameters: {
      query?: {
        /** @description Id of the line behind which to begin; 0: at the oldest. Absent: from now on. */
        after?: number;
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only lines of devices of this laboratory. */
        lab?: string;
        /** @description Only lines of devices with this name. */
        device?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only lines from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only lines of this severity or a higher one. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only records that were written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines that contain this text, in upper or lower case. */
        text?: string;
      };
      header?: {
        /** @description As `after`, which it overrides. */
        'Last-Event-ID'?: number;
      };
      path: {
        /**
         * @description Name of the protocol run. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example mix_1
         */
        protocol_run_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines as they occur. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'id' | '-id' | 'at' | '-at';
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only lines from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only lines of this severity or a higher one. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only records that were written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines that contain this text, in upper or lower case. */
        text?: string;
      };
      header?: never;
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_mixer
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order in which the service stored them, latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['LogLine'][];
            /** @description Cursor of the next page; null: this is the last one. */
            next_cursor: string | null;
          };
        };
      };
    };
  };
  get_labs_by_lab_id_devices_by_device_id_logs_stream: {
    parameters: {
      query?: {
        /** @description Id of the line behind which to begin; 0: at the oldest. Absent: from now on. */
        after?: number;
        /** @description Only lines of the task run with this id. */
        task_run?: string;
        /** @description Only lines of tasks with this name. */
        task?: string;
        /** @description Only records that belong to this protocol run. */
        protocol_run?: string;
        /** @description Only records that belong to this campaign. */
        campaign?: string;
        /** @description Only records of this computer. */
        computer?: string;
        /** @description Only lines from this source. Several values are separated by commas. */
        source?: string;
        /** @description Only lines of this severity or a higher one. */
        level?: 'debug' | 'info' | 'warn' | 'error';
        /** @description Only records that were written at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were written before this moment (ISO 8601). */
        until?: string;
        /** @description Only lines that contain this text, in upper or lower case. */
        text?: string;
      };
      header?: {
        /** @description As `after`, which it overrides. */
        'Last-Event-ID'?: number;
      };
      path: {
        /**
         * @description Name of the laboratory. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_lab
         */
        lab_id: string;
        /**
         * @description Name of the device. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example color_mixer
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lines as they occur. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'created_at' | '-created_at' | 'url' | '-url';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only records that were created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were created before this moment (ISO 8601). */
        until?: string;
        /** @description Only webhooks whose address contains this text. */
        text?: string;
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
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
      /** @description The new webhook. */
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
         * @description Id of the webhook. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook before its removal. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The webhook after the change. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The webhook with its new secret. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
      /** @description The webhook at its new position. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result: `delivered`, or `given_up` with the reason. */
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
        /** @description Maximum number of records. */
        limit?: number;
        /** @description `next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning. */
        cursor?: string;
        /** @description Field to sort by; `-` before it for descending order. */
        sort?: 'created_at' | '-created_at';
        /** @description Only records in this state. Several values are separated by commas. */
        state?: string;
        /** @description Only events of this type, for example `task_run.completed`. */
        type?: string;
        /** @description Only events of this record, as `<kind>/<id>`. */
        aggregate?: string;
        /** @description Only records that were created at this moment (ISO 8601) or later. */
        since?: string;
        /** @description Only records that were created before this moment (ISO 8601). */
        until?: string;
      };
      header?: never;
      path: {
        /**
         * @description Id of the webhook. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
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
            /** @description Cursor of the next page; null: this is the last one. */
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
         * @description Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        'Idempotency-Key'?: string;
      };
      path: {
        /**
         * @description Id of the webhook. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 7d8a3f0e-52c1-4f0a-9a53-2f8f1c4c8d11
         */
        webhook_id: string;
        /**
         * @description Id of the delivery. Percent-encode characters other than letters, digits, `-`, `_`, `.` and `~`.
         * @example 3c9b6f52-7f5e-4b3c-8f0e-5a1d9c2b7e44
         */
        delivery_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The service will send the event. */
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
      /** @description The service can serve requests. */
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
      /** @description The service can serve requests. */
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
      /** @description Metrics of the gateway as they are now, and of other processes as reported within the last 5 seconds. */
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
  get: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What the service is, how it is, and where to go on. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ServiceSummary'];
          'text/html': string;
        };
      };
    };
  };
}
