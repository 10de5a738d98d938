import type { KeyObject } from 'node:crypto';
import { runnerNameKey, type DomainContext } from './context.js';
import type { Runner, RunnerGroup, Scope } from './model.js';
import { Refused } from '../record/refused.js';

/** A runner to register. */
export interface NewRunner {
  name: string;
  scope: Scope;
  groupId: number;
  labels: readonly string[];
  ephemeral: boolean;
  jit: boolean;
  publicKey: KeyObject;
  version?: string | undefined;
}

/** The registered runners and their groups. */
export class Runners {
  readonly #context: DomainContext;
  #lastId = 0;
  #isClosed = false;
  #lastGroup = 0;

  constructor(context: DomainContext) {
    this.#context = context;
  }

  /** Returns the groups of a scope, with its default group, which exists from its first use on. */
  groups(scope: Scope): RunnerGroup[] {
    const found = [...this.#context.state.groups.values()].filter((group) => group.scope === scope);
    return found.length > 0 ? found : [this.addGroup(scope, 'Default')];
  }

  addGroup(scope: Scope, name: string, repositories?: readonly string[]): RunnerGroup {
    if (name !== 'Default') this.groups(scope);
    const group = { id: ++this.#lastGroup, name, scope, repositories };
    this.#context.state.groups.set(group.id, group);
    return group;
  }

  /**
   * Registers a runner.
   *
   * @throws Refused 404 when the scope does not have the group; 409 when its name is in use; 503 when the service is
   * closed.
   */
  register(options: NewRunner): Runner {
    return this.#register(options, undefined);
  }

  /**
   * Registers a runner in the place of another one, whose id it takes.
   *
   * @throws Refused 404 when the scope does not have the other one; 422 while a job pins it; as {@link register} does
   */
  replace(id: number, options: NewRunner): Runner {
    const earlier = this.#context.state.runners.get(id);
    if (earlier?.scope !== options.scope) throw new Refused(404, 'Not Found');
    this.delete(earlier);
    return this.#register(options, id);
  }

  #register(options: NewRunner, id: number | undefined): Runner {
    const { state, settings, random, clock, events } = this.#context;
    if (this.#isClosed) throw new Refused(503, 'The service is closed.');
    /* Group 1 is the default group of every scope, as at GitHub. */
    const groups = this.groups(options.scope);
    const group =
      groups.find(({ id }) => id === options.groupId) ?? (options.groupId === 1 ? groups[0] : undefined);
    if (group === undefined) throw new Refused(404, 'Not Found');
    if (this.byName(options.scope, options.name) !== undefined) {
      throw new Refused(409, `Already exists - A runner with the name ${options.name} already exists.`);
    }
    const runner: Runner = {
      ...options,
      id: id ?? ++this.#lastId,
      groupId: group.id,
      clientId: random.guid(),
      fips: settings.requireFips,
      os: 'unknown',
      version: options.version ?? '',
      disabled: false,
      session: undefined,
      held: new Set(),
      consumed: undefined,
      used: false,
      connected: false,
      propagationLeft: settings.propagationFailures,
      unusedTimer: undefined,
    };
    if (options.jit) {
      runner.unusedTimer = clock.setTimeout(() => this.remove(runner, 'unused'), settings.timings.jitUnused);
    }
    state.runners.set(runner.id, runner);
    state.runnersByClient.set(runner.clientId, runner);
    state.runnersByName.set(runnerNameKey(runner.scope, runner.name), runner);
    events.record('runner-registered', { runner: runner.id });
    return runner;
  }

  /** Removes all runners, and refuses further registrations, because a call in progress would leave a timer behind. */
  close(): void {
    this.#isClosed = true;
    for (const runner of this.#context.state.runners.values()) this.remove(runner, 'service closed');
  }

  byName(scope: Scope, name: string): Runner | undefined {
    return this.#context.state.runnersByName.get(runnerNameKey(scope, name));
  }

  list(scope: Scope): Runner[] {
    return [...this.#context.state.runners.values()].filter((runner) => runner.scope === scope);
  }

  /** Returns whether a job pins a runner: from its acquisition until its delivery is concluded or its run ends. */
  isPinned(runner: Runner): boolean {
    return runner.held.size > 0;
  }

  /**
   * Deletes a runner on request.
   *
   * @throws Refused 422 while a job pins it.
   */
  delete(runner: Runner): void {
    if (this.isPinned(runner)) {
      throw new Refused(
        422,
        `Bad request - Runner "${runner.name}" is currently running a job and cannot be deleted.`,
      );
    }
    this.remove(runner, 'requested');
  }

  /** Deletes a runner in any state; its session ends, and its poll is answered with `RunnerNotFound`. */
  remove(runner: Runner, reason: string): void {
    const { state, events } = this.#context;
    if (!state.runners.delete(runner.id)) return;
    state.runnersByClient.delete(runner.clientId);
    state.runnersByName.delete(runnerNameKey(runner.scope, runner.name));
    runner.unusedTimer?.cancel();
    events.record('runner-deleted', { runner: runner.id, reason });
    this.onRemoved(runner);
  }

  /** Deletes a single-use runner when its job has ended. */
  dispose(runner: Runner): void {
    if (this.#context.settings.dialect === 'seed' || !runner.used || this.isPinned(runner)) return;
    this.remove(runner, 'job ended');
  }

  /** Called after a runner was deleted; the sessions set this callback. */
  onRemoved: (runner: Runner) => void = () => undefined;
}
