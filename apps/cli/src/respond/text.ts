import { truncate } from '@interlock/base';
import { visible } from '../output/visible.js';
import type { ConfigView, Explanation, GateView, PlanView, RouteView } from './explanation.js';

const good = '✔';
const bad = '✗';

/** Returns an explanation as text. */
export function explanationText(explanation: Explanation): string {
  const lines = [
    ...claimLines(explanation),
    ...(explanation.config === undefined ? [] : configLines(explanation.config)),
    ...routeLines(explanation),
    ...resultLines(explanation),
    'Status',
    ...explanation.status.map((line) => `  ${oneLine(line)}`),
    ...proposalLines(explanation),
  ];
  return `${visible(lines.join('\n'))}\n`;
}

function claimLines({ response, responder, notClaimed, event }: Explanation): string[] {
  if (notClaimed !== undefined) return [`${bad} EventResponse ${response.name}: ${notClaimed}`];
  const claimed = `${good} EventResponse ${response.name} is for the responder ${responder}`;
  if (event === undefined) return [claimed, '  the response does not reference a SecurityEvent'];
  const { name, about = '', missing } = event;
  if (missing !== undefined) return [claimed, `${bad} ${missing}; without it nothing is routed`];
  return [claimed, `  SecurityEvent ${name} is ${oneLine(about)}`];
}

function configLines({ namespace, name, inUse, message, problems }: ConfigView): string[] {
  const isGood = inUse !== false && problems.length === 0;
  return [
    `${isGood ? good : bad} GitOpsResponderConfig ${namespace}/${name}: ${oneLine(message)}`,
    ...problems.map((problem) => `  ${bad} ${oneLine(problem)}`),
  ];
}

function routeLines({ routes, taken, undecided, notClaimed }: Explanation): string[] {
  if (notClaimed !== undefined) return [];
  const lines = routes.flatMap((route) => [
    `  ${route.matches ? good : bad} ${route.index} ${route.repository} (${route.provider})${verdict(route, taken?.index)}`,
    ...route.conditions.map(({ holds, reason }) => `      ${holds ? good : bad} ${oneLine(reason)}`),
  ]);
  if (taken !== undefined) return [`${good} route ${taken.index} is selected`, ...lines];
  if (undecided !== undefined)
    return [
      `${bad} no route is selected: the expression of route ${undecided.index} cannot be evaluated, and no later route is taken`,
      ...lines,
    ];
  const isMatched = routes.some(({ matches }) => matches);
  return [`${bad} ${isMatched ? 'no route is selected' : 'no route matches'}`, ...lines];
}

function verdict({ index, matches, conditions }: RouteView, taken: number | undefined): string {
  if (index === taken) return conditions.length === 0 ? ' is selected: it has no conditions' : ' is selected';
  return matches && taken !== undefined ? ' also matches; the first matching route is selected' : '';
}

function resultLines({ gate, plan, branch, taken, refused }: Explanation): string[] {
  return [
    ...(gate === undefined ? [] : [gateLine(gate)]),
    ...(plan === undefined ? [] : planLines(plan, refused)),
    ...(branch === undefined ? [] : [`Branch ${branch} → ${taken?.baseBranch ?? ''}`]),
  ];
}

function gateLine({ namespace, name, open, reason, onClosed }: GateView): string {
  const gate = `Gate ${namespace}/${name}`;
  if (open) return `${good} ${gate} is open: ${oneLine(reason)}`;
  const then = onClosed === 'Wait' ? 'the responder waits' : 'the pull request mentions it';
  return `${bad} ${gate} is closed: ${oneLine(reason)}; ${then}`;
}

function planLines(plan: PlanView, refused: string | undefined): string[] {
  const { operations, location, files, unread, isRead, added, removed } = plan;
  const isEmpty = files.length === 0 && unread.length === 0;
  return [
    refused === undefined ? `${good} Plan` : `${bad} Plan: ${oneLine(refused)}`,
    ...operations.map((operation) => `  ${oneLine(operation)}`),
    ...(location === undefined ? [] : [`  the file of the subject: ${oneLine(location)}`]),
    ...files.map(({ path, change }) => `  ${change.padEnd(6)} ${path}`),
    ...unread.map(({ op, path }) => `  ${op} ${path ?? 'the file of the subject'}: not read`),
    ...(files.length > 0
      ? [`  ${countText(added)} added, ${removed} removed${isRead ? '' : ', if the files do not exist yet'}`]
      : []),
    ...(isEmpty && refused === undefined ? ['  nothing to change, so no pull request is opened'] : []),
  ];
}

function countText(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}

function proposalLines({ proposal, plan, taken }: Explanation): string[] {
  if (proposal === undefined || plan === undefined) return [];
  const { title, body, branch, base, commitMessage, labels, reviewers, draft } = proposal;
  return [
    '',
    `Pull request at ${taken?.repository ?? ''}${draft ? ' (draft)' : ''}`,
    `  title:     ${title}`,
    `  branch:    ${branch} → ${base}`,
    `  labels:    ${labels.join(', ')}`.trimEnd(),
    `  reviewers: ${reviewers.join(', ')}`.trimEnd(),
    ...block('Body', body),
    ...block('Commit message', commitMessage),
    ...plan.files.flatMap(({ path, change, diff }) => ['', diff?.replace(/\n$/, '') ?? `${change} ${path}`]),
  ];
}

function block(name: string, text: string): string[] {
  return [
    '',
    `${name}:`,
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
  ];
}

const maxLine = 2000;

function oneLine(text: string): string {
  return truncate(text.replace(/\s+/g, ' '), maxLine);
}
