import { readFile } from 'node:fs/promises';
import { apiVersionOf, customKinds, gatingGroup, messageOf, type KubeObject } from '@interlock/api';
import { isProblem, Problem } from '@interlock/base';
import { brokenRules, problemsOf, warningsOf, type GatingObject } from '@interlock/gating';
import { specGates } from './spec-gates.js';
import type { GateKeeper } from '@interlock/api';
import { documentProblem } from '@interlock/responding';
import { parseAllDocuments, type Document } from 'yaml';
import { exitCodes, type ExitCode } from '../exit.js';
import type { Io } from '../io.js';
import { parseManifest } from '../manifest/parse.js';
import { manifestYaml } from '../manifest/yaml.js';
import { print, type Format } from '../output/print.js';
import { progressOn } from '../output/progress.js';

interface LintResult {
  file: string;
  severity: 'error' | 'warning';
  object: string;
  field: string;
  message: string;
}

const kinds = customKinds.filter(({ group }) => group === gatingGroup);
const headers = ['FILE', 'SEVERITY', 'OBJECT', 'FIELD', 'MESSAGE'];

/** Runs `lint FILE…`: checks manifests of gating without a cluster. Other kinds are skipped. */
export async function lint(io: Io, files: readonly string[], format: Format): Promise<ExitCode> {
  const results = (await Promise.all(files.map((file) => lintFile(file)))).flat();
  const rows = results.map(({ file, severity, object, field, message }) => [
    file,
    severity,
    object,
    field,
    message,
  ]);
  print(io, format, { results }, { headers, rows });
  const failed = results.some(({ severity }) => severity === 'error');
  if (!failed) progressOn(io).success(`${files.length} file${files.length === 1 ? '' : 's'} checked`);
  return failed ? exitCodes.failed : exitCodes.ok;
}

async function lintFile(file: string): Promise<LintResult[]> {
  const error = (message: string): LintResult => ({
    file,
    severity: 'error',
    object: '',
    field: '',
    message,
  });
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    return [error(`cannot be read: ${(cause as { message: string }).message}`)];
  }
  return lintText(text).map((result) => ({ ...result, file }));
}

/** Returns the problems of the manifests in a YAML text. */
function lintText(text: string): Omit<LintResult, 'file'>[] {
  return parseAllDocuments(text, manifestYaml).flatMap((document) => {
    const syntax = document.errors[0] ?? documentProblem(document);
    if (syntax !== undefined)
      return [
        { severity: 'error' as const, object: '', field: '', message: syntax.message.split('\n')[0] ?? '' },
      ];
    return lintValue(valueOf(document));
  });
}

/** Returns the value of a document, or why it has none: aliases may refer to nothing, or to too much. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    return new Problem('InvalidAlias', messageOf(error));
  }
}

/** Checks a document. A list, as `kubectl get -o yaml` prints it, is replaced by its items. */
function lintValue(value: unknown): Omit<LintResult, 'file'>[] {
  if (isProblem(value)) return [{ severity: 'error', object: '', field: '', message: value.message }];
  const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
  return kind === 'List' && Array.isArray(items) ? items.flatMap(lintValue) : lintObject(value);
}

function lintObject(value: unknown): Omit<LintResult, 'file'>[] {
  const manifest = value as Partial<KubeObject> | null;
  const kind = kinds.find((one) => one.kind === manifest?.kind && apiVersionOf(one) === manifest.apiVersion);
  if (kind === undefined || manifest === null) return unknownKind(manifest);
  const name = manifest.metadata?.name;
  const object = nameOf(manifest);
  const found = (severity: LintResult['severity'], field: string, message: string) => ({
    severity,
    object,
    field,
    message,
  });
  if (name === undefined) return [found('error', 'metadata.name', 'it has no name; add one')];
  if (typeof name !== 'string') return [found('error', 'metadata.name', notText(name))];
  const unquoted = notTexts(manifest.metadata);
  if (unquoted.length > 0) return unquoted.map(([field, message]) => found('error', field, message));
  const parsed = parseManifest(kind, manifest);
  if ('issues' in parsed) return parsed.issues.map(({ field, message }) => found('error', field, message));
  const rules = brokenRules(kind, parsed.object).map(({ field, message }) => found('error', field, message));
  const problems = problemsOf(parsed.object as GatingObject).map(({ field, message }) =>
    found('error', field, message),
  );
  const warnings = parsed.object.kind === 'GateKeeper' ? warningsOf(parsed.object as GateKeeper) : [];
  const known = new Set(problems.map(({ field }) => field));
  return [
    ...rules.filter(({ field }) => !known.has(field)),
    ...problems,
    ...warnings.map((message) => found('warning', '', message)),
  ];
}

/** Returns the labels and annotations that the API server refuses, because only a text can be a value, and why. */
function notTexts(metadata: KubeObject['metadata'] | undefined): [field: string, message: string][] {
  return (['labels', 'annotations'] as const).flatMap((field) =>
    Object.entries<unknown>(metadata?.[field] ?? {})
      .filter(([, value]) => value !== null && typeof value !== 'string')
      .map(([key, value]): [string, string] => [`metadata.${field}.${key}`, notText(value)]),
  );
}

function notText(value: unknown): string {
  return `${shown(value)} is not a text; write it in quotes`;
}

/** Returns a value for a message. A map is not converted, because its field `toString` would be called. */
function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'a map or a list' : String(value);
}

/** Returns the kind and the name of a manifest, which may have values of any type. */
function nameOf(manifest: Partial<KubeObject> | null): string {
  return `${shown(manifest?.kind ?? '')}/${shown(manifest?.metadata?.name ?? '')}`;
}

/**
 * Returns the error for an unknown kind of the group, or for another version: either is more likely a mistake than a kind
 * of another project.
 */
function unknownKind(manifest: Partial<KubeObject> | null): Omit<LintResult, 'file'>[] {
  const message = specGates(manifest);
  if (message !== undefined) {
    return [{ severity: 'error', object: nameOf(manifest), field: 'spec.gates', message }];
  }
  const apiVersion: unknown = manifest?.apiVersion;
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith(`${gatingGroup}/`)) return [];
  const known = kinds.map((one) => one.kind).join(', ');
  return [
    {
      severity: 'error',
      object: nameOf(manifest),
      field: 'kind',
      message: `${apiVersion} does not have this kind; it has ${known}, in v1alpha1`,
    },
  ];
}
