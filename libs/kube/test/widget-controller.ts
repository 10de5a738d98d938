import { keyOf, type ObjectKey } from '@interlock/api';
import { systemClock } from '@interlock/base';
import { recordLog, type LogLine } from '@interlock/base/testing';
import { ConfigMap } from '../src/client/kinds.js';
import { markReady } from '../src/runtime/conditions.js';
import { KubeManager, type ManagerOptions } from '../src/runtime/manager.js';
import { childName } from '../src/runtime/names.js';
import { controllerReference } from '../src/runtime/owners.js';
import { generationChanged } from '../src/runtime/predicates.js';
import { applyStatus } from '../src/runtime/status.js';
import type { Manager } from '../src/runtime/manager-types.js';
import type { ReconcileContext } from '../src/runtime/types.js';
import { Widget, type WidgetCluster } from './widget-cluster.js';

export interface Process {
  manager: Manager;
  /** The names of reconciled Widgets, in order. */
  reconciled: string[];
  log: LogLine[];
  /** Requests a stop; `ended` reports the result. */
  stop(): void;
  /** `stopped`, or the message of the error that `run` rejected with. */
  ended: Promise<string>;
  /** Interrupts the connection to the cluster at once and permanently. */
  cutOff(): Promise<void>;
}

/**
 * Runs a process with one controller, which creates a ConfigMap with the size of each Widget and reports it in the
 * status.
 *
 * @param before runs at the start of each reconcile
 */
export function startProcess(
  widgets: WidgetCluster,
  options: Partial<ManagerOptions> = {},
  before: (key: ObjectKey, context: ReconcileContext) => Promise<void> = () => Promise.resolve(),
): Process {
  const client = widgets.connect();
  const log = recordLog();
  const manager = new KubeManager({ client, clock: systemClock, log, ...options });
  const reconciled: string[] = [];
  const cache = manager.cache(Widget);
  manager.addController({
    name: 'widget',
    for: { kind: Widget, predicate: generationChanged },
    owns: [{ kind: ConfigMap }],
    backoff: { baseMs: 10, maxMs: 200 },
    async reconcile(key, context) {
      reconciled.push(key.name);
      await before(key, context);
      const widget = cache.get(key);
      if (widget === undefined || widget.metadata.deletionTimestamp !== undefined) return;
      await act(manager, widget, context);
    },
  });
  const stop = new AbortController();
  const ended = manager.run(stop.signal).then(
    () => 'stopped',
    (error: Error) => error.message,
  );
  return {
    manager,
    reconciled,
    log: log.lines,
    stop: () => stop.abort(),
    ended,
    cutOff: () => client.close(),
  };
}

async function act(manager: Manager, widget: Widget, { now, signal }: ReconcileContext): Promise<void> {
  const { namespace = '', name, generation } = widget.metadata;
  const { size } = widget.spec;
  const child = {
    metadata: { namespace, name: childName(name, 'config'), ownerReferences: [controllerReference(widget)] },
    data: { size: String(size) },
  };
  await manager.client.apply(ConfigMap, child, { signal });
  const because = { reason: 'Applied', message: `The size is ${size}.` };
  const conditions = markReady(widget.status?.conditions, because, generation, now);
  await applyStatus(manager.client, Widget, widget, { size, conditions }, { signal });
}

/** Returns the child of a Widget. */
export function configOf(widget: Widget): ObjectKey {
  const { name, ...rest } = keyOf(widget);
  return { ...rest, name: childName(name, 'config') };
}
