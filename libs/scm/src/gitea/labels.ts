import { ifFound } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import type { Call } from '../http/call.js';
import type { LabelChange } from '../scm.js';
import type { GiteaClient } from './client.js';

interface Label {
  id: number;
  name: string;
}

/** The color of a label that the repository does not have yet. */
const color = '#ededed';

/** Labels of pull requests, which the API identifies by id (REST API, "issue": labels). */
export class GiteaLabels {
  readonly #client: GiteaClient;

  constructor(client: GiteaClient) {
    this.#client = client;
  }

  /** Changes labels, whose names are compared ignoring case. Returns whether something had to be changed. */
  async ensure(id: number, { add = [], remove = [] }: LabelChange, options?: CallOptions): Promise<boolean> {
    const path = this.#client.path('issues', id, 'labels');
    const call = (operation: string): Call => labelCall(operation, `labels of pull request ${id}`, options);
    const present = await this.#client.list<Label[], Label>(path, {}, call('list'), (labels) => labels);
    const missing = add.filter((name) => find(present, name) === undefined);
    const surplus = remove.flatMap((name) => find(present, name) ?? []);
    if (missing.length > 0) {
      await this.#client.send('POST', path, call('add'), { labels: await this.#idsOf(missing, options) });
    }
    for (const label of surplus) {
      await ifFound(this.#client.send('DELETE', `${path}/${label.id}`, call('remove')));
    }
    return missing.length + surplus.length > 0;
  }

  /** Returns the ids of labels of the repository; missing labels are created. */
  async #idsOf(names: readonly string[], options?: CallOptions): Promise<number[]> {
    const path = this.#client.path('labels');
    const call = (operation: string): Call => labelCall(operation, 'labels', options);
    const known = await this.#client.list<Label[], Label>(path, {}, call('list'), (labels) => labels);
    const ids: number[] = [];
    for (const name of names) {
      const label =
        find(known, name) ?? (await this.#client.send<Label>('POST', path, call('create'), { name, color }));
      ids.push(label.id);
    }
    return ids;
  }
}

function find(labels: readonly Label[], name: string): Label | undefined {
  return labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
}

function labelCall(operation: string, object: string, options: CallOptions | undefined): Call {
  return { api: 'PullRequest', operation, priority: 'write', options, object };
}
