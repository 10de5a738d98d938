import type { Json } from '../schema/types.js';

type Step = (values: Json[]) => Json[];

const segmentPattern =
  /\.\.|\.?\[\s*\?\(\s*(.+?)\s*\)\s*\]|\.?\['((?:[^'\\]|\\.)*)'\]|\.?\["((?:[^"\\]|\\.)*)"\]|\.?\[\s*(\*|-?\d+)\s*\]|\.(\*)|\.((?:[^.[\]\\]|\\.)+)/y;

/**
 * Compiles the subset of kubectl's JSONPath that columns and scale paths use: `.a.b`, `['a']`, `[0]`, `[*]`, `.*` and
 * filters such as `[?(@.type=='Ready')]`. Returns undefined for anything else.
 */
export function compileJsonPath(path: string): ((value: Json) => Json[]) | undefined {
  const steps: Step[] = [];
  const text = path.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, '');
  /* A filter contains a path, so each level has its own position. */
  const segment = new RegExp(segmentPattern, 'y');
  while (segment.lastIndex < text.length) {
    const match = segment.exec(text);
    if (match === null || match[0] === '..') return undefined;
    const [, filter, single, double, index, star, name] = match;
    const key = single ?? double ?? name;
    if (filter !== undefined) {
      const step = filterStep(filter);
      if (step === undefined) return undefined;
      steps.push(step);
    } else if (key !== undefined) {
      steps.push(keyStep(key.replace(/\\(.)/g, '$1')));
    } else if (index === '*' || star === '*') {
      steps.push((values) => values.flatMap(children));
    } else {
      steps.push(indexStep(Number(index)));
    }
  }
  return (value) => steps.reduce<Json[]>((values, step) => step(values), [value]);
}

function children(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function keyStep(key: string): Step {
  return (values) =>
    values.flatMap((value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
      const found = Object.hasOwn(value, key) ? value[key] : undefined;
      return found === undefined ? [] : [found];
    });
}

function indexStep(index: number): Step {
  return (values) =>
    values.flatMap((value) => {
      const found = Array.isArray(value) ? value.at(index) : undefined;
      return found === undefined ? [] : [found];
    });
}

function filterStep(filter: string): Step | undefined {
  const match = /^@((?:\.|\[).*?)\s*(?:(==|!=|>=|<=|>|<)\s*(.+))?$/s.exec(filter);
  const read = match?.[1] === undefined ? undefined : compileJsonPath(match[1]);
  if (read === undefined) return undefined;
  const operator = match?.[2];
  const wanted = literal(match?.[3] ?? '');
  const holds = (item: Json): boolean => {
    const [found] = read(item);
    return found !== undefined && (operator === undefined || compare(found, operator, wanted));
  };
  return (values) => values.flatMap(children).filter(holds);
}

function literal(text: string): Json {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted !== null) return quoted[2] ?? '';
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function compare(found: Json, operator: string, wanted: Json): boolean {
  switch (operator) {
    case '==':
      return found === wanted;
    case '!=':
      return found !== wanted;
    default:
      if (found === null || wanted === null || typeof found !== typeof wanted) return false;
      if (operator === '>') return found > wanted;
      if (operator === '<') return found < wanted;
      return operator === '>=' ? found >= wanted : found <= wanted;
  }
}
