import {
  apiVersionOf,
  ClusterScmProvider,
  GateBinding,
  GitRepository,
  keyOf,
  keyString,
  PullRequest,
  ScmProvider,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import {
  bindingsOf,
  bindingText,
  foreignFinalizers,
  ownFinalizers,
  pullRequestText,
  releaseText,
  runnerText,
} from './guarded.js';
import type { Found, FoundHold, FoundObject, Observed } from './observed.js';
import { runningApps, type RunningApp } from './running.js';

export interface UninstallOptions {
  /** Whether suspended and pinned objects stay suspended and pinned. */
  keepHolds?: boolean;
  /** Whether the CustomResourceDefinitions are removed as well. */
  crds?: boolean;
}

/** One change of the cluster. */
export interface Step {
  /** Unique within the plan. */
  id: string;
  action: 'release' | 'removeFinalizers' | 'delete';
  kind: Kind;
  object: KubeObject;
  /** The finalizers of the project that are to be removed. */
  finalizers?: readonly string[];
  /** What the finalizer guarded, or another effect of the step; empty if there is nothing to note. */
  note: string;
  /** IDs of steps that must have succeeded before. */
  after: readonly string[];
}

/** The steps, in this order. */
export interface Plan {
  running: readonly RunningApp[];
  steps: readonly Step[];
  /** What is kept, and why. */
  kept: readonly string[];
}

/** Objects that others refer to are removed last, so that what remains after an interrupted run still works. */
const last: readonly string[] = [GitRepository.kind, ScmProvider.kind, ClusterScmProvider.kind];

/**
 * Decides how the remains of an installation are removed: the webhooks that would refuse changes, then holds, then
 * finalizers, then objects and the objects that they depend on. Pure.
 *
 * @param now milliseconds since the epoch, by the clock of the API server
 */
export function decideUninstall(observed: Observed, options: UninstallOptions, now: number): Plan {
  const isReleased = (hold: FoundHold) => options.keepHolds !== true && isWithin(hold, observed.namespace);
  const concerned = observed.held.filter((hold) => touches(hold, observed.namespace));
  const releases = concerned.filter(isReleased).map(releaseStep);
  const finalizers = observed.objects.flatMap((found) => finalizerStep(found, concerned, isReleased));
  const needed = new Set(finalizers.map(({ id }) => id));
  const deletions = [...observed.objects]
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((found) => deletionStep(found, needed));
  return {
    running: runningApps(observed, now),
    steps: [
      ...observed.webhooks.map((found) => deletion(found, 'calls an app that was uninstalled')),
      ...releases,
      ...finalizers,
      ...deletions,
      ...observed.roles.map((found) => deletion(found, '')),
      ...(options.crds === true
        ? observed.definitions.map((found) => definitionStep(found, finalizers, deletions))
        : []),
    ],
    kept: [
      ...concerned.filter((hold) => !isReleased(hold)).map((hold) => keptHoldText(hold, options)),
      ...observed.objects.flatMap(keptObjectText),
      ...foreignKindTexts(observed.objects),
    ],
  };
}

/** Returns whether everything that holds an object is to be removed. */
function isWithin(hold: FoundHold, namespace: string | undefined): boolean {
  if (namespace === undefined) return true;
  const isOwn = hold.object.metadata.namespace === namespace;
  const bindings = bindingsOf(hold);
  const hasOther = bindings.length < hold.marks.by.length || bindings.length === 0;
  return bindings.every((key) => key.startsWith(`${namespace}/`)) && (isOwn || !hasOther);
}

/** Returns whether a held object is in a namespace, or is held by a binding of that namespace. */
function touches(hold: FoundHold, namespace: string | undefined): boolean {
  return (
    namespace === undefined ||
    hold.object.metadata.namespace === namespace ||
    bindingsOf(hold).some((key) => key.startsWith(`${namespace}/`))
  );
}

function releaseStep(hold: FoundHold): Step {
  const { kind, object, marks } = hold;
  return { id: idOf('release', hold), action: 'release', kind, object, note: releaseText(marks), after: [] };
}

function finalizerStep(
  found: FoundObject,
  held: readonly FoundHold[],
  isReleased: (hold: FoundHold) => boolean,
): Step[] {
  const { kind, object } = found;
  const finalizers = ownFinalizers(object);
  if (finalizers.length === 0) return [];
  const isBinding = kind.kind === GateBinding.kind;
  const own = isBinding ? held.filter((hold) => bindingsOf(hold).includes(keyString(keyOf(object)))) : [];
  const note = isBinding
    ? bindingText(own, isReleased)
    : kind.kind === PullRequest.kind
      ? pullRequestText(object)
      : runnerText(kind);
  const after = own.filter(isReleased).map((hold) => idOf('release', hold));
  return [
    {
      id: idOf('removeFinalizers', found),
      action: 'removeFinalizers',
      kind,
      object,
      finalizers,
      note,
      after,
    },
  ];
}

function deletionStep(found: FoundObject, needed: ReadonlySet<string>): Step[] {
  const { object, isOurs } = found;
  if (!isOurs || object.metadata.deletionTimestamp !== undefined) return [];
  const others = foreignFinalizers(object);
  const note = others.length === 0 ? '' : `then waits for ${others.join(', ')}, which Interlock does not set`;
  const before = idOf('removeFinalizers', found);
  return [{ ...deletion(found, note), after: needed.has(before) ? [before] : [] }];
}

function definitionStep(found: Found, ...steps: (readonly Step[])[]): Step {
  const after = steps
    .flat()
    .filter(({ kind }) => `${kind.plural}.${kind.group}` === found.object.metadata.name)
    .map(({ id }) => id);
  return { ...deletion(found, 'deletes every object of the kind'), after };
}

function deletion(found: Found, note: string): Step {
  const { kind, object } = found;
  return { id: idOf('delete', found), action: 'delete', kind, object, note, after: [] };
}

function keptHoldText({ kind, object, marks }: FoundHold, { keepHolds }: UninstallOptions): string {
  const what = `${kind.kind} ${keyString(keyOf(object))}`;
  if (keepHolds === true)
    return `${what} stays ${marks.isPinned ? 'pinned' : 'suspended'} (--keep-holds), until a user ${marks.isPinned ? 'removes the pin of spec.ref' : 'resumes it'}`;
  return `${what} stays held, because it is also held from another namespace: ${marks.by.join(', ')}`;
}

function keptObjectText({ kind, object, isOurs }: FoundObject): string[] {
  const others = foreignFinalizers(object);
  const what = `${kind.kind} ${keyString(keyOf(object))}`;
  if (object.metadata.deletionTimestamp === undefined || others.length === 0 || !isOurs) return [];
  return [`${what} is being deleted and waits for ${others.join(', ')}, which Interlock does not set`];
}

function foreignKindTexts(objects: readonly FoundObject[]): string[] {
  const counts = new Map<string, number>();
  for (const { kind, isOurs } of objects) {
    const resource = `${kind.plural}.${kind.group}`;
    if (!isOurs) counts.set(resource, (counts.get(resource) ?? 0) + 1);
  }
  return [...counts].map(
    ([resource, count]) =>
      `${resource} (${count}): another project defines the kind, so its objects and its definition stay`,
  );
}

/** Orders cluster-scoped objects after namespaced ones. */
function rank({ kind }: Found): number {
  return (kind.namespaced ? 0 : 100) + last.indexOf(kind.kind) + 1;
}

function idOf(action: Step['action'], { kind, object }: Found): string {
  return `${action} ${kind.plural}.${apiVersionOf(kind)} ${keyString(keyOf(object))}`;
}
