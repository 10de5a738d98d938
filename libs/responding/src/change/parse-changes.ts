import { isProblem, type FieldProblem } from '@interlock/base';
import * as z from 'zod';
import type { Json, Operation, PatchOperation } from './operation.js';
import { quoted } from '../problem.js';
import { normalisePath } from './paths.js';

const maxText = 2_000_000;
const maxChanges = 200;
const maxDepth = 100;
/** Maximum number of unknown fields that a message names. */
const maxKeys = 5;

const path = z.string().transform((text, context) => {
  const normal = normalisePath(text);
  if (!isProblem(normal)) return normal;
  context.addIssue({ code: 'custom', message: normal.message, input: text });
  return z.NEVER;
});
const word = z.string().min(1).max(253);
const select = z
  .strictObject({
    apiVersion: word.optional(),
    kind: word.optional(),
    name: word.optional(),
    namespace: word.optional(),
  })
  .refine((selector) => Object.keys(selector).length > 0, 'set apiVersion, kind, name or namespace');
/* What JSON.parse returned is JSON. To check each of its parts again takes seconds for a megabyte. */
const json = z.custom<Json>((value) => value !== undefined, 'it is missing; set it to a JSON value');
const pointer = z.string().regex(/^(\/([^~]|~[01])*)?$/, 'write a JSON Pointer, such as /spec/replicas');
const patchOperation: z.ZodType<PatchOperation> = z.discriminatedUnion('op', [
  z.strictObject({ op: z.enum(['add', 'replace', 'test']), path: pointer, value: json }),
  z.strictObject({ op: z.literal('remove'), path: pointer }),
  z.strictObject({ op: z.enum(['move', 'copy']), from: pointer, path: pointer }),
]);
const imageName = z
  .string()
  .max(255)
  .regex(
    /^[a-zA-Z0-9]([-a-zA-Z0-9._]*[a-zA-Z0-9])?(:[0-9]+(?=\/))?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/,
    'write the name of an image without a tag or digest, such as ghcr.io/org/app',
  );
const target = { path: path.optional(), select: select.optional() };

const change = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('file.write'), path, contents: z.string() }),
  z.strictObject({ op: z.literal('file.delete'), path }),
  z
    .strictObject({
      op: z.literal('yaml.patch'),
      ...target,
      patch: z.array(patchOperation).min(1).max(200).optional(),
      merge: z.record(z.string(), json).optional(),
    })
    .refine(({ patch, merge }) => (patch === undefined) !== (merge === undefined), {
      message: 'set either patch (JSON Patch) or merge (merge patch)',
    }),
  z.strictObject({ op: z.literal('yaml.deleteDocument'), ...target }),
  z
    .strictObject({
      op: z.literal('image.set'),
      ...target,
      container: word.optional(),
      image: imageName,
      newName: imageName.optional(),
      newTag: z
        .string()
        .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, 'write a tag, such as v1.2.3')
        .optional(),
      digest: z
        .string()
        .regex(/^sha256:[0-9a-f]{64}$/, 'write sha256: and 64 hexadecimal digits')
        .optional(),
    })
    .refine((set) => (set.newName ?? set.newTag ?? set.digest) !== undefined, {
      message: 'set newName, newTag or digest',
    }),
]);
const changes = z
  .array(
    change,
    'it is not a list of operations; write one such as [{"op": "file.delete", "path": "a.yaml"}]',
  )
  .max(maxChanges, `it has more than ${maxChanges} operations; create further responses for the others`);

/** Returns the operations of the parameter `changes`; adds their problems to `problems`. */
export function parseChanges(text: string, problems: FieldProblem[]): Operation[] {
  if (text.length > maxText) {
    problems.push({
      field: 'changes',
      message: `it is longer than ${maxText} characters; create several responses`,
    });
    return [];
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    problems.push({ field: 'changes', value: text, message: 'it is not JSON; write a list of operations' });
    return [];
  }
  if (isDeeperThan(maxDepth, value)) {
    problems.push({ field: 'changes', message: `it is nested deeper than ${maxDepth} levels; reduce them` });
    return [];
  }
  const parsed = changes.safeParse(value);
  if (parsed.success) return parsed.data.map(operationOf);
  problems.push(...parsed.error.issues.map((issue) => problemOf(issue, value)));
  return [];
}

/** Returns whether a value has more levels of lists and maps. It does not recurse, because a sender chooses the depth. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}

function operationOf(change: z.infer<typeof changes>[number]): Operation {
  if (change.op !== 'yaml.patch') return change;
  const { patch, merge, ...rest } = change;
  return {
    ...rest,
    patch: patch === undefined ? { type: 'merge', value: merge ?? {} } : { type: 'json', operations: patch },
  };
}

function problemOf(issue: z.core.$ZodIssue, root: unknown): FieldProblem {
  let value = root;
  let field = 'changes';
  for (const key of issue.path) {
    field += typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  const message = messageOf(issue, value, field.includes('.patch['));
  if (value === undefined) return { field, message };
  return { field, value: typeof value === 'string' ? value : JSON.stringify(value), message };
}

function messageOf(issue: z.core.$ZodIssue, value: unknown, isOfPatch: boolean): string {
  if (issue.code === 'invalid_union' && issue.path.at(-1) === 'op')
    return `it is not one of ${isOfPatch ? 'add, replace, test, remove, move, copy' : known}`;
  if (issue.code === 'unrecognized_keys')
    return `it has an unknown field; remove ${issue.keys
      .slice(0, maxKeys)
      .map((key) => quoted(key))
      .join(', ')}`;
  if (issue.code === 'invalid_type' && value === undefined)
    return `it is missing; set it to a value of the type ${issue.expected}`;
  return issue.message;
}

const known = 'file.write, file.delete, yaml.patch, yaml.deleteDocument, image.set';
