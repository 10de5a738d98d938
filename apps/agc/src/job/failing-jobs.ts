import { messageOf } from '@interlock/api';

/** The jobs of which a step fails and has failed for long, with the causes. */
export class FailingJobs {
  /** The causes by group and by the name of the Secret of the job. */
  readonly #causes = new Map<string, Map<string, string>>();
  #handler: (group: string) => void = () => undefined;

  /** Registers a function that is called with the name of a group when a job of it fails, and when none fails any longer. */
  onChange(handler: (group: string) => void): void {
    this.#handler = handler;
  }

  /** Records the error with which a step of a job fails. */
  add(group: string, job: string, error: unknown): void {
    const cause = messageOf(error);
    const causes = this.#causes.get(group);
    if (causes !== undefined) return void causes.set(job, cause);
    this.#causes.set(group, new Map([[job, cause]]));
    this.#handler(group);
  }

  /** Records that no step of a job fails, or that the job is gone. */
  remove(group: string, job: string): void {
    const causes = this.#causes.get(group);
    if (causes?.delete(job) !== true || causes.size > 0) return;
    this.#causes.delete(group);
    this.#handler(group);
  }

  /** Forgets the jobs of a group that another replica leads. */
  forget(group: string): void {
    this.#causes.delete(group);
  }

  /** Returns why a step of a job of a group fails; undefined if none fails. */
  causeIn(group: string): string | undefined {
    const [cause] = this.#causes.get(group)?.values() ?? [];
    return cause;
  }
}
