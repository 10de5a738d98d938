import {
  ActionsGateway,
  finalizers,
  runnerFinalizers,
  RunnerGroup,
  type Kind,
  type KubeObject,
  type PullRequest,
} from '@interlock/api';
import { ownAnnotations, type HoldMarks } from '@interlock/gating';
import type { FoundHold } from './observed.js';

const ours: readonly string[] = [...Object.values(finalizers), ...Object.values(runnerFinalizers)];
const maxNamed = 3;

/** Returns the finalizers of the project on an object. */
export function ownFinalizers({ metadata }: KubeObject): string[] {
  return (metadata.finalizers ?? []).filter((name) => ours.includes(name));
}

/** Returns the finalizers that other projects set, which keep an object when the finalizers of this project are removed. */
export function foreignFinalizers({ metadata }: KubeObject): string[] {
  return (metadata.finalizers ?? []).filter((name) => !ours.includes(name));
}

/** Returns the keys, `namespace/name`, of the bindings that hold an object; its own annotations are omitted. */
export function bindingsOf({ object, marks }: FoundHold): string[] {
  const { namespace = '' } = object.metadata;
  return marks.by
    .filter((name) => name !== ownAnnotations)
    .map((name) => (name.includes('/') ? name : `${namespace}/${name}`));
}

/** Returns the effect on the pull request at the SCM if its object is removed without the promoter. */
export function pullRequestText(object: KubeObject): string {
  const { spec, status } = object as PullRequest;
  const branches = `${spec.sourceBranch} into ${spec.targetBranch}`;
  const what = status?.url ?? `the pull request from ${branches}`;
  switch (status?.state) {
    case 'open':
      return `the open pull request ${what} stays open; close it at the SCM`;
    case 'merged':
      return `nothing is left to do: ${what} is merged`;
    case 'closed':
      return `nothing is left to do: ${what} is closed`;
    default:
      return `a pull request from ${branches} may be open; search for it at the SCM`;
  }
}

/** Returns the effect on GitHub and on a tenant if an object is removed without its controller; empty for other kinds. */
export function runnerText({ kind }: Pick<Kind, 'kind'>): string {
  if (kind === RunnerGroup.kind)
    return 'its runners stay at GitHub until GitHub removes them as offline runners';
  return kind === ActionsGateway.kind
    ? 'the objects of its tenant are deleted with it, except its NetworkPolicies'
    : '';
}

/** Returns the effect on the objects that a binding holds. */
export function bindingText(held: readonly FoundHold[], isReleased: (hold: FoundHold) => boolean): string {
  if (held.length === 0) return 'it holds nothing';
  const [released, kept] = [held.filter(isReleased), held.filter((hold) => !isReleased(hold))];
  return [
    ...(released.length > 0 ? [`first releases ${namesOf(released)}`] : []),
    ...(kept.length > 0 ? [`leaves ${namesOf(kept)} held`] : []),
  ].join('; ');
}

/** Returns the effect of a release: waiting revisions are then applied. */
export function releaseText({ by, since, revision, isPinned }: HoldMarks): string {
  const how = isPinned ? 'removes the pin of spec.ref' : 'resumes it';
  const where = revision === undefined ? '' : ` at ${revision}`;
  const when = since === '' ? '' : ` since ${since}`;
  const who = by.length === 0 ? '' : ` by ${by.map(holderText).join(', ')}`;
  return `${how}, and Flux applies the waiting revision; held${who}${when}${where}`;
}

function holderText(name: string): string {
  return name === ownAnnotations ? 'its own annotations' : name;
}

function namesOf(held: readonly FoundHold[]): string {
  const names = held.map(
    ({ kind, object: { metadata } }) => `${kind.kind} ${metadata.namespace ?? ''}/${metadata.name}`,
  );
  const more = names.length - maxNamed;
  return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ');
}
