import { isProblem, type FieldProblem } from '@interlock/base';
import { problemsError } from '../problem.js';
import type { Operation } from './operation.js';
import { parseChanges } from './parse-changes.js';
import { normalisePath } from './paths.js';

export type Parameters = Readonly<Record<string, string>>;

/* The values of strconv.ParseBool, with which the reference implementation reads `delete`. */
const booleans: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);
const maxFiles = 1000;

/**
 * Reads the change that `action.parameters` describe: whole files (`path`, `contents` or `delete`, then `path1` and so on)
 * and `changes`, a JSON list of operations. It ignores other parameters.
 * @returns the operations, whole files first; empty when the parameters describe no change.
 * @throws TypedError `Invalid` (`InvalidParameters`) naming each wrong parameter, its value and the correction.
 */
export function parseOperations(parameters: Parameters): Operation[] {
  const problems: FieldProblem[] = [];
  const operations = wholeFiles(parameters, problems);
  const changes = parameterOf(parameters, 'changes');
  if (changes !== undefined) operations.push(...parseChanges(changes, problems));
  if (problems.length > 0) throw problemsError('InvalidParameters', problems);
  return operations;
}

function wholeFiles(parameters: Parameters, problems: FieldProblem[]): Operation[] {
  const operations: Operation[] = [];
  const given = new Set<number>();
  for (const name of Object.keys(parameters)) {
    const match = /^(?:path|contents|delete)([1-9][0-9]{0,5})?$/.exec(name);
    if (match) given.add(Number(match[1] ?? 0));
  }
  const numbers = [...given].sort((a, b) => a - b);
  for (const [position, number] of numbers.entries()) {
    if (number !== position || number >= maxFiles) {
      problems.push(gapAt(position, number));
      break;
    }
    const operation = wholeFile(parameters, number, problems);
    if (operation) operations.push(operation);
  }
  return operations;
}

function gapAt(expected: number, found: number): FieldProblem {
  if (expected >= maxFiles)
    return { field: named('path', found), message: `change at most ${maxFiles} files` };
  return {
    field: named('path', expected),
    message: `it is not set, but parameters with the number ${found} are set; number the files without gaps: path, path1, path2`,
  };
}

function wholeFile(parameters: Parameters, number: number, problems: FieldProblem[]): Operation | undefined {
  const field = named('path', number);
  const path = parameterOf(parameters, field);
  const contents = parameterOf(parameters, named('contents', number));
  const flag = parameterOf(parameters, named('delete', number));
  if (path === undefined) {
    problems.push({ field, message: `set the path of the file, or omit ${named('contents', number)}` });
    return undefined;
  }
  const normal = normalisePath(path);
  if (isProblem(normal)) problems.push({ field, value: path, message: normal.message });
  const remove = flag === undefined ? false : Object.hasOwn(booleans, flag) ? booleans[flag] : undefined;
  if (remove === undefined) {
    problems.push({ field: named('delete', number), value: flag ?? '', message: 'write true or false' });
    return undefined;
  }
  if (isProblem(normal)) return undefined;
  if (remove) {
    if (contents === undefined || contents === '') return { op: 'file.delete', path: normal };
    problems.push({
      field: named('delete', number),
      value: flag ?? '',
      message: `set either ${named('contents', number)} or delete`,
    });
    return undefined;
  }
  if (contents !== undefined) return { op: 'file.write', path: normal, contents };
  problems.push({
    field,
    value: path,
    message: `set ${named('contents', number)}, or ${named('delete', number)}: "true"`,
  });
  return undefined;
}

function named(name: string, number: number): string {
  return number === 0 ? name : `${name}${number}`;
}

/** Returns a parameter; undefined if it is not set. */
export function parameterOf(parameters: Parameters, name: string): string | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}
