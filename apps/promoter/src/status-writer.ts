import { conditions, fieldManagers, type Condition, type Kind, type KubeObject } from '@interlock/api';
import { applyStatus, type Client, type EventRecorder } from '@interlock/kube';

type WithStatus = KubeObject & { status?: { conditions?: Condition[] | undefined } };

/** Writes statuses, when they changed, and an event for each condition that changed with them. */
export class StatusWriter {
  constructor(
    private readonly client: Client,
    private readonly events: Pick<EventRecorder, 'record' | 'recordTransitions'>,
  ) {}

  /** Returns the object as it is stored. @throws ApiError */
  async write<T extends WithStatus>(kind: Kind<T>, object: T, status: NonNullable<T['status']>): Promise<T> {
    const stored = await applyStatus(this.client, kind, object, status, {
      fieldManager: fieldManagers.promoter,
    });
    this.events.recordTransitions(
      object,
      'Reconcile',
      object.status?.conditions,
      status.conditions,
      severity,
    );
    return stored;
  }

  /** Records that something was done at the SCM. Call it once for each time. */
  done(object: KubeObject, reason: string, note: string): void {
    this.events.record(object, { type: 'Normal', reason, action: 'Promote', note });
  }
}

const warnings = new Set<string>([
  conditions.ready,
  conditions.stalled,
  conditions.rejected,
  conditions.revertBlocked,
]);

/* Waiting for a check is the normal course of a promotion; being unable to reconcile is not. */
function severity({ type, status }: Condition): 'Normal' | 'Warning' {
  const bad = type === conditions.ready ? 'False' : 'True';
  return warnings.has(type) && status === bad ? 'Warning' : 'Normal';
}
