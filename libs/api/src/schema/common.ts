import * as z from 'zod';
import type { Condition } from '../object.js';
import { ageColumn } from './columns.js';
import { listMap, withRules } from './define.js';

/** Returns the schema of a git branch name, which expresses as many rules of git-check-ref-format(1) as it can. */
export const branchName = (description: string) =>
  withRules(
    z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\s~^:?*[\\]+$/)
      .describe(description),
    [
      {
        rule: "!self.contains('..') && !self.contains('//') && !self.contains('@{')",
        message: "a branch name must not contain '..', '//' or '@{'",
      },
      {
        rule: "!self.startsWith('-') && !self.startsWith('/') && !self.endsWith('/') && !self.endsWith('.') && !self.endsWith('.lock')",
        message: "a branch name must not begin with '-' or '/', nor end with '/', '.' or '.lock'",
      },
    ],
  );

/**
 * Returns the schema of a folder in a repository, which also becomes part of a branch name: relative, and no part
 * begins with a dot.
 */
export const folderPath = (description: string) =>
  withRules(
    z
      .string()
      .min(1)
      .max(150)
      .regex(/^[^./\s~^:?*[\\][^/\s~^:?*[\\]*(\/[^./\s~^:?*[\\][^/\s~^:?*[\\]*)*$/)
      .describe(description),
    [
      {
        rule: "!self.contains('..') && !self.contains('@{') && !self.endsWith('.') && !self.endsWith('.lock')",
        message: "a folder must not contain '..' or '@{', nor end with '.' or '.lock'",
      },
    ],
  );

/** Returns the schema of an object name (RFC 1123 subdomain). */
export const objectName = (description: string) =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
    .describe(description);

/** Names of namespaces that may use an object; `*` is all of them. */
export const namespaceList = z
  .array(
    z
      .string()
      .max(63)
      .regex(/^([*]|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$/),
  )
  .max(64)
  .meta({ 'x-kubernetes-list-type': 'set' });

export const repoRef = z
  .object({ name: objectName('Name of a GitRepository in the same namespace.') })
  .describe('The repository.');

/** A key of CommitStatuses. It is the value of a label, so it follows the rules for label values. */
export const commitStatusKey = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/)
  .describe('Value of the label commit-status.argoproj.io/key that selects the CommitStatuses.');

/**
 * Returns the schema of a duration in the format of Go, with at most five digits per unit, so that every valid text can
 * be parsed.
 */
export const duration = (description: string) =>
  z
    .string()
    .max(32)
    .regex(/^([0-9]{1,5}(\.[0-9]{1,3})?(h|m|s|ms))+$/)
    .describe(description);

export const timestamp = (description: string) => z.iso.datetime().describe(description);

const fullSHA = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

export const gitSha = (description: string) => z.string().regex(fullSHA).describe(description);

/** Returns whether a text is the full name of a git object (SHA-1 or SHA-256). */
export function isFullSHA(text: string): boolean {
  return fullSHA.test(text);
}

const condition = z.object({
  type: z.string().max(316).describe('Type of the condition.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  observedGeneration: z.int().optional().describe('The metadata.generation that the condition was set for.'),
  lastTransitionTime: timestamp('When the status of the condition last changed.'),
  reason: z.string().max(1024).describe('Machine-readable reason in CamelCase.'),
  message: z.string().max(32768).describe('Human-readable message.'),
}) satisfies z.ZodType<Condition>;

/** The fields that every status has. */
export const commonStatus = {
  observedGeneration: z
    .int()
    .optional()
    .describe('The metadata.generation that the status was computed for.'),
  conditions: listMap(condition, ['type'], 32)
    .optional()
    .describe('Conditions of the object, compatible with kstatus.'),
};

/** The columns that every kind ends with. */
export const readyColumns = [
  {
    name: 'Ready',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Ready')].status",
    description: 'Whether the object is reconciled',
  },
  {
    name: 'Reason',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Ready')].message",
    description: 'Why the object is or is not ready',
    priority: 1,
  },
  ageColumn,
] as const;

/** Columns for the Promoted condition and its reason, followed by the columns that every kind ends with. */
export const promotedColumns = [
  { name: 'Promoted', type: 'string', jsonPath: ".status.conditions[?(@.type=='Promoted')].status" },
  {
    name: 'Waiting For',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Promoted')].message",
    priority: 1,
  },
  ...readyColumns,
] as const;
