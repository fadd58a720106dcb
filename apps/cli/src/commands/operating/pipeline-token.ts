import { rmSync, writeFileSync } from 'node:fs';
import type { ApiClient, ExchangedToken } from '@lab/api-client';
import { defineConfig, processEnvironment, settings } from '@lab/runtime';
import type { Command } from 'commander';
import { atService, serviceAddress, serviceCommand, type ServiceFlags } from '../at-service.js';
import { UsageError } from '../exit-codes.js';

interface ExchangeFlags extends ServiceFlags {
  out: string;
  audience?: string;
}

/** Milliseconds for GitHub to answer. */
const patienceMs = 15_000;

/** `svc token exchange`: a short-lived token for a pipeline of GitHub Actions or GitLab CI. It prints no token. */
export function addExchangeCommand(token: Command): void {
  serviceCommand(
    token,
    'exchange',
    'in a pipeline of GitHub or GitLab: exchange its signed token for a token of minutes, in a file that only this user reads',
  )
    .requiredOption('--out <file>', 'file for the token; name it in SVC_TOKEN_FILE for later commands')
    .option('--audience <text>', 'audience of the signed token (default: the address of the service)')
    .action((flags: ExchangeFlags) =>
      atService(flags, async (client) => {
        const signed = await signedToken(flags.audience ?? serviceAddress(flags));
        const made = await exchanged(client, signed);
        writeSecret(flags.out, made.access_token);
        const { access_token: _, ...shown } = made;
        return flags.json === true ? [JSON.stringify(shown, null, 2)] : [lineOf(made, flags.out)];
      }),
    );
}

function exchanged(client: ApiClient, signed: string): Promise<ExchangedToken> {
  return client.post('/api/tokens/exchange', {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: signed,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    },
  });
}

/**
 * The signed token of this pipeline: GitLab puts it into a variable, and GitHub answers a request of the job with it.
 *
 * @throws UsageError outside of such a pipeline; Error when GitHub does not give one
 */
async function signedToken(audience: string): Promise<string> {
  const { idToken } = defineConfig({ idToken: settings.idToken }).load();
  if (idToken !== undefined) return idToken.reveal();
  const env = processEnvironment();
  const [address, bearer] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'], env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']];
  if (!address || !bearer)
    throw new UsageError(
      'this is no pipeline with a signed token: at GitHub, give the job "permissions: id-token: write"; at GitLab, ' +
        'give it "id_tokens" with SVC_ID_TOKEN',
    );
  return askGitHub(new URL(address), bearer, audience);
}

/** @throws Error */
async function askGitHub(address: URL, bearer: string, audience: string): Promise<string> {
  address.searchParams.set('audience', audience);
  let problem: string;
  try {
    const answer = await fetch(address, {
      headers: { authorization: `Bearer ${bearer}`, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    });
    const { value } = answer.ok ? ((await answer.json()) as { value?: unknown }) : {};
    if (typeof value === 'string') return value;
    problem = `it answered ${answer.status}`;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  throw new Error(`GitHub gave this job no signed token (${address.origin}): ${problem}`);
}

/** Replaces the file, so that neither its mode nor a link in its place decides who reads the token. */
function writeSecret(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
}

function lineOf({ grants, expires_in: seconds }: ExchangedToken, path: string): string {
  const roles = grants.map(({ role, lab }) => (lab === undefined ? role : `${role}:${lab}`)).join(' ');
  return `${path}: a token with ${roles} for ${seconds / 60} minutes`;
}
