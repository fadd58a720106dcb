import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  apiVersion,
  apiVersionHeader,
  requestIdHeader,
  AttentionClaimRequest,
  AttentionResolution,
  CampaignSubmission,
  EmergencyStopRequest,
  errorCatalogue,
  ProtocolRunSubmission,
  TaskSubmission,
  waitCodes,
  type DeviceRecord,
  SimulationScenario,
} from '@lab/contracts';
import { dtoSchema } from '@lab/contracts/bodies';
import { simulate } from '@lab/simulation';
import { batch } from '../../../../libs/simulation/test/small-lab.js';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { checker, examplesOf, operationsOf, type Document, type Operation } from '../document.js';
import { campaignRecord, runRecord, startHarness, taskRecord, type Harness } from '../twins.js';
import {
  agent,
  attempt,
  attentionItem,
  deviceDetail,
  emergencyStop,
  optimizerDescription,
  optimizerRecord,
  queue,
  queuePage,
  schedule,
  taskCompleted,
  trial,
  whatIfRecord,
} from '../color-lab-records.js';
import {
  attentionClaims,
  attentionResolutions,
  campaignSubmissions,
  emergencyStopRequests,
  protocolRunSubmissions,
  simulationScenarios,
  taskSubmissions,
} from '../../src/examples/index.js';
import { openApiDocument } from '../../src/openapi/document.js';

let gateway: Harness;
let document: Document;
let mismatches: ReturnType<typeof checker>;

beforeAll(async () => {
  gateway = await startHarness();
  document = (await gateway.send('GET', '/docs-json')).body as unknown as Document;
  mismatches = checker(document);
});
afterAll(() => gateway.server.close());

const operations = (): [string, Operation][] => operationsOf(document);

describe('the OpenAPI document', () => {
  it('is valid by every rule of the linter', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    ).toEqual([]);
    const without = source.replace('"operationId":"get_labs"', '"operationId":"get_devices"');
    const found = await lintFromString({ source: without, config, absoluteRef: 'openapi.json' });
    expect(found.map(({ ruleId }) => ruleId)).toContain('operation-operationId-unique');
  });

  it('has an example of every JSON answer and body, and each fits its schema', () => {
    for (const [key, operation] of operations()) {
      for (const { at, schema, value } of examplesOf(operation))
        expect(mismatches(schema, value), `${key} ${at}`).toEqual([]);
      const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((each) =>
        Object.entries(each?.content ?? {}).filter(([type]) => type.endsWith('json')),
      );
      for (const [, content] of contents)
        expect('example' in content || 'examples' in content, `${key} has an answer without example`).toBe(
          true,
        );
    }
  });

  it('contains the version that every answer names, and how long deprecated parts remain', async () => {
    expect(document.info.version).toBe(apiVersion);
    for (const path of ['/api/health', '/api/nothing', '/docs'])
      expect((await gateway.send('GET', path)).headers.get(apiVersionHeader), path).toBe(apiVersion);
    expect(document.info.description).toMatch(/`Deprecation`[\s\S]*`Sunset`[\s\S]*12 months/);
    for (const [key, operation] of operations()) {
      for (const [status, { headers }] of Object.entries(operation.responses))
        for (const header of [apiVersionHeader, requestIdHeader])
          expect(headers, `${key} ${status}`).toHaveProperty(header);
    }
  });

  it('puts every operation into a described group, and no group is empty', () => {
    const used = operations().flatMap(([, { tags }]) => tags);
    expect([...new Set(used)].sort()).toEqual(document.tags.map(({ name }) => name).sort());
  });

  it('cannot be built while a route has no @Operation', async () => {
    class CarelessController {
      read(): string {
        return 'x';
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(CarelessController.prototype, 'read') ?? {};
    Get('careless')(CarelessController.prototype, 'read', descriptor);
    Controller()(CarelessController);
    class CarelessModule {}
    Module({ controllers: [CarelessController] })(CarelessModule);
    const app = await NestFactory.create(CarelessModule, new FastifyAdapter(), {
      preview: true,
      logger: false,
    });
    expect(() => openApiDocument(app)).toThrow('routes without @Operation: GET /careless');
  });

  it('refers only to schemas that it contains', () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1],
    );
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...new Set(names)]));
    expect(names.length).toBeGreaterThan(10);
  });

  it('contains every path parameter, and gives every operation its own id and a summary', () => {
    for (const [key, operation] of operations()) {
      const inPath = [...key.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(
        operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      ).toEqual(inPath);
      expect(operation.summary).not.toBe('');
    }
    const ids = operations().map(([, operation]) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes every error by code, under the status it has', () => {
    for (const [key, operation] of operations()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const examples = response.content?.['application/problem+json']?.examples;
        if (examples === undefined) continue;
        for (const code of Object.keys(examples)) {
          expect(errorCatalogue[code as keyof typeof errorCatalogue].status, `${key} ${code}`).toBe(
            Number(status),
          );
        }
      }
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '403', '500']));
    }
    const submission = document.paths['/api/tasks']?.['post']?.responses;
    expect(submission?.['429']).toHaveProperty('headers.Retry-After');
    expect(submission?.['422']).not.toHaveProperty('headers.Retry-After');
  });

  it.each([
    ['ProtocolRunSubmission', ProtocolRunSubmission, protocolRunSubmissions],
    ['CampaignSubmission', CampaignSubmission, campaignSubmissions],
    ['TaskSubmission', TaskSubmission, taskSubmissions],
    ['AttentionClaimRequest', AttentionClaimRequest, attentionClaims],
    ['AttentionResolution', AttentionResolution, attentionResolutions],
    ['EmergencyStopRequest', EmergencyStopRequest, emergencyStopRequests],
    ['SimulationScenario', SimulationScenario, simulationScenarios],
  ])('shows examples of a %s that its schema and the check both accept', (name, dto, examples) => {
    for (const { value } of Object.values(examples)) {
      expect(mismatches({ $ref: `#/components/schemas/${name}` }, value)).toEqual([]);
      expect(dtoSchema<object>(dto).check(value)).toMatchObject({ ok: true });
    }
  });

  it.each([
    ['ProtocolRunSubmission', 8],
    ['CampaignSubmission', 15],
    ['TaskSubmission', 11],
    ['TaskFailurePolicy', 3],
    ['RetryPolicy', 2],
    ['AttentionResolution', 5],
    ['AttentionClaimRequest', 2],
    ['EmergencyStopRequest', 4],
    ['EmergencyStopRelease', 2],
    ['OperatorNote', 1],
    ['InsightSubmission', 2],
    ['CampaignResumption', 2],
    ['SimulatedScheduler', 5],
    ['SimulatedRuns', 7],
    ['SimulatedCampaign', 6],
    ['SimulatedTasks', 10],
    ['SimulatedFailure', 3],
    ['SimulatedLoss', 3],
  ])('describes every field of a %s', (name, count) => {
    const fields = Object.entries(document.components.schemas[name]?.properties ?? {});
    expect(fields).toHaveLength(count);
    for (const [field, schema] of fields) {
      expect(schema, field).toMatchObject({
        type: expect.any(String) as string,
        description: expect.any(String) as string,
      });
    }
  });

  it('has schemas that fit real records and problems', async () => {
    const task = taskRecord({
      state: 'failed',
      reason: { code: 'task_failed', message: 'm', stack: 's' },
      devices: { arm: { lab_name: 'l', name: 'd' } },
      input_resources: { beaker: { name: 'b', type: 't', meta: { volume: 1 } } },
      input_files: { raw: { id: 'i/1/f', name: 'f', size: 1, sha256: 'x', media_type: 'text/csv' } },
      output_parameters: { x: [1, 'a', null] },
      output_files: [{ name: 'f', size: 1, sha256: 'x', media_type: 'text/csv' }],
    });
    const run = runRecord({ tasks: [task], parameters: { mix: { cyan: 1 } } });
    const device: DeviceRecord = {
      lab_name: 'l',
      name: 'd',
      type: 't',
      computer: 'c',
      state: 'idle',
      detail: null,
      held_by: null,
      halted: null,
      out_of_service: null,
      doing: null,
      last_known: null,
      runtime: null,
      debugger: null,
      doubt: null,
      functions: [
        { name: 'f', kind: 'query' },
        { name: 'g', kind: 'effect', timeout_s: 5, description: 'd', parameters: { a: { type: 'str' } } },
      ],
    };
    const fit = (name: string, value: unknown): string[] =>
      mismatches({ $ref: `#/components/schemas/${name}` }, value);
    expect(fit('TaskRunRecord', task)).toEqual([]);
    expect(fit('ProtocolRunRecord', run)).toEqual([]);
    expect(fit('CampaignRecord', campaignRecord({ protocol_run_parameters: [{ a: {} }] }))).toEqual([]);
    expect(fit('DeviceRecord', device)).toEqual([]);
    expect(fit('DeviceDetail', deviceDetail)).toEqual([]);
    const doubt = {
      id: 'd',
      in_doubt: [{ call_id: 'c', function: 'f', attempt_id: 'a' }],
      last_confirmed: { call_id: 'b', function: 'f' },
    };
    expect(fit('DeviceRecord', { ...device, state: 'uncertain', halted: 'stopped', doubt })).toEqual([]);
    expect(fit('AttemptRecord', attempt)).toEqual([]);
    expect(fit('AgentRecord', agent)).toEqual([]);
    expect(fit('AttentionRecord', attentionItem)).toEqual([]);
    const resolution = { action: 'retry', by: 'ada', note: null };
    expect(fit('AttentionRecord', { ...attentionItem, state: 'resolved', resolution })).toEqual([]);
    const unasked = { action: null, by: 'service', note: 'it came back' };
    expect(fit('AttentionRecord', { ...attentionItem, state: 'resolved', resolution: unasked })).toEqual([]);
    expect(fit('EmergencyStopRecord', emergencyStop)).toEqual([]);
    expect(fit('QueueRecord', queue)).toEqual([]);
    expect(fit('QueuePage', queuePage)).toEqual([]);
    expect(fit('EventPage', { items: [taskCompleted], next_cursor: null })).toEqual([]);
    expect(fit('WhatIfRecord', whatIfRecord)).toEqual([]);
    expect(fit('OptimizerRecord', optimizerRecord)).toEqual([]);
    expect(fit('OptimizerDescription', optimizerDescription)).toEqual([]);
    expect(fit('Trial', trial)).toEqual([]);
    const {
      campaign: _name,
      pending: _pending,
      journal: _journal,
      belief: _belief,
      ...known
    } = optimizerRecord;
    const { state: _state, reason: _reason, worker: _worker, ...kept } = known;
    const insight = { id: 'i', text: 't', by: 'ada', at: 0, used: false };
    expect(fit('KeptOptimizer', { ...kept, insights: [insight] })).toEqual([]);
    const simulated = await simulate(
      { protocols: [{ type: 'batch', iterations: 3 }], losses: [{ device: 'lab.arm', at: 3 }] },
      batch(),
      { stopwatch: () => 0 },
    );
    expect(simulated.stuck.length).toBeGreaterThan(0);
    expect(fit('SimulationRecord', simulated)).toEqual([]);
    expect(fit('ScheduleRecord', schedule)).toEqual([]);
    expect(fit('ScheduleRecord', { ...schedule, plan: null, policy: 'greedy' })).toEqual([]);
    const causes = waitCodes.map((code) => ({
      code,
      message: 'm',
      tasks: ['a/b'],
      slot: 's',
      until: null,
      candidates: [{ unit: 'l.d', why: 'faulted' }],
    }));
    expect(causes.flatMap((cause) => fit('WaitCause', cause))).toEqual([]);
    expect(fit('DeviceDetail', { ...deviceDetail, report: { free: [1] } })).toEqual([]);
    expect(fit('HealthReport', (await gateway.send('GET', '/api/health')).body)).toEqual([]);
    expect(fit('Problem', (await gateway.send('POST', '/api/tasks', { x: 1 })).body)).toEqual([]);
    expect(fit('TaskRunRecord', { ...task, colour: 1, state: 'done' })).toHaveLength(2);
  });
});

describe('the interactive page', () => {
  it('loads only its own parts, and the gateway serves all of them', async () => {
    const page = await gateway.send('GET', '/docs');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(page.text).not.toMatch(/https?:\/\//);
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(parts.length).toBeGreaterThanOrEqual(4);
    for (const part of parts) {
      const reply = await gateway.send('GET', part);
      expect(reply.status, part).toBe(200);
      expect(reply.text.length).toBeGreaterThan(10);
    }
  });

  it.each(['/docs/package.json', '/docs/..%2Fpackage.json', '/docs/constructor', '/docs/index.js'])(
    'serves no other file, such as %s',
    async (path) => expect((await gateway.send('GET', path)).status).toBe(404),
  );
});
