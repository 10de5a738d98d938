import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { conditions, customKinds, type Condition, type Kind, type KubeObject } from '@interlock/api';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { parseAllDocuments } from 'yaml';
import { conditionOf, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const page = readFileSync(new URL('../../../docs/promoter.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block]) => block ?? '');
const environments = ['dev', 'test', 'prod'].map((name) => `environments/${name}`);

type Example = KubeObject & { spec?: object; status?: { conditions?: Condition[] } };

const examples = blocks.flatMap((block) =>
  parseAllDocuments(block).map((document) => document.toJS() as Example),
);

const fixture = useFixture();
let team: Team;

beforeAll(async () => {
  team = await fixture.team({ environments });
});

function kindOf({ kind }: KubeObject): Kind<Example> {
  const found = [Secret, ...customKinds].find((one) => one.kind === kind);
  if (found === undefined)
    throw new Error(`docs/promoter.md has an example of the unknown kind ${kind ?? ''}`);
  return found;
}

describe('the examples of docs/promoter.md', () => {
  it('cover every kind', () => {
    expect(new Set(examples.map(({ kind }) => kind))).toEqual(
      new Set(['Secret', 'ScmProvider', 'GitRepository', 'PromotionStrategy', 'RevertCommit']),
    );
  });

  it.each(examples.map((example) => [example.kind ?? '', example.metadata.name, example] as const))(
    'include a valid %s: %s',
    async (_kind, _name, example) => {
      const metadata = { ...example.metadata, namespace: team.namespace };
      const created = await team.client.create(kindOf(example), { ...example, metadata }, { dryRun: true });
      expect(created).toMatchObject(example.spec === undefined ? {} : { spec: example.spec });
    },
  );

  it('work together in a namespace', async () => {
    const own = examples
      .filter(({ kind }) => kind === 'PromotionStrategy' || kind === 'RevertCommit')
      .reverse();
    for (const example of own) {
      const metadata = { ...example.metadata, namespace: team.namespace };
      const spec = { ...example.spec, repoRef: { name: repositoryName } };
      await team.client.apply(kindOf(example), { ...example, metadata, spec }, { fieldManager: 'reader' });
    }
    for (const example of own) {
      const key = { namespace: team.namespace, name: example.metadata.name };
      /* No commit was healthy yet that the revert could use as its target. */
      const [type, reason] =
        example.kind === 'RevertCommit'
          ? [conditions.stalled, 'NoHealthyCommit']
          : [conditions.ready, 'Reconciled'];
      await eventually(async () => {
        const found = conditionOf(await team.client.get(kindOf(example), key), type);
        expect(found).toMatchObject({ status: 'True', reason });
      });
    }
  });
});
