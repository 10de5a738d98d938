import { invalid } from '../../api/api-error.js';
import { isTrue } from '../../server/request-info.js';
import { forbidden as forbiddenField, invalid as invalidField } from '../../schema/field-error.js';
import type { Cause } from '../../schema/types.js';
import type { LogLine } from './container-log.js';

/** v1 PodLogOptions. */
export interface LogOptions {
  container: string;
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines: number | undefined;
  limitBytes: number | undefined;
  /** Lines before this time (RFC 3339) are omitted. */
  since: string | undefined;
}

/** Returns the options of a request for the log of a pod. Throws a 422. */
export function logOptions(query: URLSearchParams, podName: string, now: Date): LogOptions {
  const number = (name: string): number | undefined => {
    const text = query.get(name);
    return text === null || text === '' ? undefined : Number(text);
  };
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map(number);
  const sinceTime = query.get('sinceTime') ?? '';
  const causes: Cause[] = [
    ...atLeast('tailLines', tailLines, 0, 'must be greater than or equal to 0'),
    ...atLeast('limitBytes', limitBytes, 1, 'must be greater than 0'),
    ...(sinceTime !== '' && sinceSeconds !== undefined
      ? [forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : atLeast('sinceSeconds', sinceSeconds, 1, 'must be greater than 0')),
  ];
  if (causes.length > 0) throw invalid({ group: '', kind: 'PodLogOptions', name: podName }, causes);
  return {
    container: query.get('container') ?? '',
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    tailLines,
    limitBytes,
    since:
      sinceSeconds === undefined
        ? sinceTime || undefined
        : new Date(now.getTime() - sinceSeconds * 1000).toISOString(),
  };
}

function atLeast(field: string, value: number | undefined, least: number, rule: string): Cause[] {
  return value === undefined || value >= least
    ? []
    : [invalidField(field, Number.isNaN(value) ? null : value, rule)];
}

/** Returns the kept lines that a request selects. */
export function selectedLines(lines: readonly LogLine[], { since, tailLines }: LogOptions): LogLine[] {
  const from = since === undefined ? NaN : Date.parse(since);
  const recent = Number.isNaN(from) ? lines : lines.filter(({ time }) => Date.parse(time) >= from);
  if (tailLines === undefined) return [...recent];
  return tailLines === 0 ? [] : recent.slice(firstOfTail(recent, tailLines));
}

/** Parts of a line count as one line. */
function firstOfTail(lines: readonly LogLine[], count: number): number {
  let left = count;
  for (let index = lines.length - 1; index > 0; index -= 1) {
    if (lines[index - 1]?.isPartial === false) left -= 1;
    if (left === 0) return index;
  }
  return 0;
}

/** Returns a line in the format of the response. */
export function lineText(
  { time, text, isPartial }: LogLine,
  { timestamps }: LogOptions,
  isContinued: boolean,
): string {
  const prefix = timestamps && !isContinued ? `${time} ` : '';
  return `${prefix}${text}${isPartial ? '' : '\n'}`;
}
