import type { Grant } from '@lab/contracts';
import type { PipelineSettings } from '@lab/runtime';
import type { Claims } from '../access/index.js';

type Rule = PipelineSettings['rules'][number];

/** The roles of all rules whose claims the token has. A claim that is no text, number or truth value fits no pattern. */
export function grantsByRules(claims: Claims, rules: readonly Rule[]): Grant[] {
  const roles = rules.filter((rule) => isKept(claims, rule)).flatMap((rule) => rule.roles);
  return [...new Set(roles)].map((text) => {
    const at = text.indexOf(':');
    return { role: text.slice(0, at) as Grant['role'], lab: text.slice(at + 1) };
  });
}

function isKept(claims: Claims, { claims: wanted }: Rule): boolean {
  return Object.entries(wanted).every(([claim, patterns]) => {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    if (!['string', 'number', 'boolean'].includes(typeof value)) return false;
    return patterns.some((pattern) => fits(String(value), pattern));
  });
}

/**
 * `*` stands for any characters but `/` and `:`, which separate the parts of the claims of GitHub and GitLab. The configuration
 * allows one in each part, so that a long value costs no more than a short one.
 */
function fits(value: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/:]*')}$`, 's').test(value);
}
