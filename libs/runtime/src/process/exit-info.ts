/** How a process ended. */
export interface ExitInfo {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** `exit code 3` or `signal SIGKILL`. */
export function exitText({ code, signal }: ExitInfo): string {
  return signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
}
