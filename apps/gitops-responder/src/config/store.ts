import type { GitOpsResponderConfig, ResponseRoute } from '@interlock/api';
import type { Cache } from '@interlock/kube';
import { chooseConfig, type Choice, type ConfigInUse } from './choose.js';

/** Follows the configurations in every replica, so that a new leader has the last valid configuration. */
export class ConfigStore {
  #choice: Choice = { problems: [] };
  readonly #handlers: (() => void)[] = [];

  readonly #configs: Cache<GitOpsResponderConfig>;

  constructor(configs: Cache<GitOpsResponderConfig>) {
    this.#configs = configs;

    configs.subscribe((event) => this.#update(event.type === 'added' && event.initial));
  }

  get choice(): Choice {
    return this.#choice;
  }

  get inUse(): ConfigInUse | undefined {
    return this.#choice.inUse;
  }

  /** The routes of the configuration in use. */
  get routes(): readonly ResponseRoute[] {
    return this.inUse?.routing.routes ?? [];
  }

  /** Registers a handler that is called when another configuration is in use. Call it before the manager runs. */
  onChange(handler: () => void): void {
    this.#handlers.push(handler);
  }

  #update(isInitial: boolean): void {
    const before = this.#choice.inUse;
    this.#choice = chooseConfig(this.#configs.list(), before);
    const after = this.#choice.inUse;
    const isSame = before?.uid === after?.uid && before?.generation === after?.generation;
    if (!isSame && !isInitial) this.#handlers.forEach((handler) => handler());
  }
}
