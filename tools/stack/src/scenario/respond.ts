import type { ForgeUser } from '@interlock/forge';
import { EventResponse, type SecurityEvent } from '@interlock/api';
import { bindingNames, broadBinding, rbacFiles, rbacFolder } from '../demo/rbac.js';
import { readFiles } from '../repository/commit.js';
import { deliveryKinds, RbacDelivery } from './rbac-delivery.js';
import { createReviewer, Stage } from './respond-stage.js';
import type { Step, Scenario } from './step.js';

type Scene = (stage: Stage) => Promise<string[]>;
type Subject = NonNullable<SecurityEvent['spec']['subject']>;

const event = 'se-ci-admin';
const subject: Subject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  name: broadBinding.name,
};
/** A binding without a known source. */
const deleteSubject = { changes: JSON.stringify([{ op: 'yaml.deleteDocument' }]) };
const hostileName =
  '`@everyone` <img src=x onerror=alert(1)> [click](javascript:alert(1)) {{ .Secret }}\n# Approved';

/**
 * Creates a scenario in which a pull request removes a ClusterRoleBinding that grants too many permissions. Names in
 * events can be hostile, an event can be repeated, and a response can be for another responder.
 */
export function respondScenario(base: Scenario): Scenario {
  let reviewer: Promise<ForgeUser> | undefined;
  const step = (title: string, scene: Scene): Step => ({
    title,
    push: () => Promise.resolve(),
    check: async (stack, print, signal) => {
      const stage = new Stage(stack, print, signal, await (reviewer ??= createReviewer(stack)));
      try {
        await stage.ready();
        return await scene(stage);
      } finally {
        await stage.close();
      }
    },
  });
  return {
    ...base,
    title: 'pull requests respond to security events',
    needs: { kinds: deliveryKinds, clusterRoleBindings: bindingNames },
    ending: 'Every event has the expected response.',
    steps: [
      step('ClusterAdminGranted: a group of CI is cluster-admin', revoke),
      step('a hostile subject, and a path outside the repository', hostile),
      step('the same event again, and a response for another responder', again),
    ],
  };
}

/** Removes the binding with a pull request that a user merges. */
async function revoke(stage: Stage): Promise<string[]> {
  const { stack, print, reviewer } = stage;
  const name = 'revoke-ci-admin';
  const delivery = new RbacDelivery(stack, print);
  await delivery.start();
  try {
    await delivery.sync(stage.signal);
    await stage.detect(event, 'ClusterAdminGranted', subject);
    await stage.respond(name, event, deleteSubject);
    const pull = await stage.pullOf(await stage.ended(name));
    await stage.show(pull);
    const explained = await stage.explain(name);
    const commits = await stage.commitsOf(pull);
    print(`  ${reviewer.user.login} reviews and merges it`);
    await reviewer.merge(stack.repository.fullName, pull.number);
    await stage.merged(name);
    await delivery.sync(stage.signal);
    const bindings = await delivery.bindings();
    const path = stage.stages(name).join(' → ');
    return [
      ...(path === 'Routed → Planned → Submitted → Merged' ? [] : [`${name} went ${path}`]),
      ...(explained === 0 ? [] : [`interlock respond explain ended with ${explained}`]),
      ...(commits === 1 ? [] : [`the pull request has ${commits} commits`]),
      ...(bindings.join() === 'readers' ? [] : [`the cluster has ${bindings.join(', ')}`]),
      ...(await fileProblems(stage)),
    ];
  } finally {
    await delivery.stop();
  }
}

/** Checks that only the binding and its entry are removed from the folder. */
async function fileProblems({ stack: { repository } }: Stage): Promise<string[]> {
  const wanted = new Map(rbacFiles);
  wanted.delete(broadBinding.path);
  const list = `${rbacFolder}/kustomization.yaml`;
  wanted.set(list, (wanted.get(list) ?? '').replace(/^ *- ci-admin\.yaml.*\n/m, ''));
  const files = await readFiles(repository.local, 'refs/heads/main');
  const changed = [...wanted].filter(([path, content]) => files.get(path) !== content).map(([path]) => path);
  if (files.has(broadBinding.path)) changed.push(broadBinding.path);
  return changed.map((path) => `${path} does not have the expected content`);
}

/** Checks that hostile names do not affect readers of the pull request or write files outside the repository. */
async function hostile(stage: Stage): Promise<string[]> {
  await stage.detect('se-hostile', 'SuspiciousName', { apiVersion: 'v1', kind: 'Pod', name: hostileName });
  const path = `${rbacFolder}/notes.md`;
  await stage.respond('note-hostile', 'se-hostile', { path, contents: 'Reviewed by security.\n' });
  const pull = await stage.pullOf(await stage.ended('note-hostile'));
  await stage.show(pull);
  await stage.respond('escape', 'se-hostile', { path: '../../etc/passwd', contents: 'root::0:0:::\n' });
  const refused = await stage.ended('escape');
  const live = liveMarkup(`${pull.title}\n${pull.body}`);
  return [
    ...(live === undefined ? [] : [`the pull request has ${JSON.stringify(live)}`]),
    ...(refused.error?.type === 'Permanent' ? [] : ['a path outside the repository was not refused']),
    ...((await stage.pulls()).length === 2 ? [] : ['a refused response has a pull request']),
  ];
}

/** Returns the parts of a text that a forge does not render as plain text, except for code and the marker. */
function liveMarkup(text: string): string | undefined {
  const visible = text.replace(/`[^`\n]*`/g, '').replace(/<!-- [a-z-]+: [-\w]+ -->/g, '');
  return /<|@\w|\{\{|\]\(|^# /m.exec(visible)?.[0];
}

/** Checks that no pull request is opened for a change that is already made, or for a response to another responder. */
async function again(stage: Stage): Promise<string[]> {
  const { client } = stage.stack;
  const before = await stage.pulls();
  const theirs = await stage.respond('freeze-ci', event, deleteSubject, 'team-b-responder');
  const answered = await client.get(EventResponse, { name: 'revoke-ci-admin' });
  await stage.detect(event, 'ClusterAdminGranted', subject);
  await stage.respond('revoke-ci-admin', event, deleteSubject);
  const { path } = broadBinding;
  await stage.respond('revoke-ci-admin-2', event, {
    changes: JSON.stringify([{ op: 'yaml.deleteDocument', path }]),
  });
  const { outcome } = await stage.ended('revoke-ci-admin-2');
  const now = await client.get(EventResponse, { name: 'freeze-ci' });
  const still = await client.get(EventResponse, { name: 'revoke-ci-admin' });
  const opened = (await stage.pulls()).length - before.length;
  if (now.status === undefined) stage.print('  freeze-ci is untouched');
  const explained = await stage.explain('freeze-ci');
  return [
    ...(outcome?.type === 'NoActionNeeded' ? [] : [`the outcome is ${outcome?.type ?? 'none'}`]),
    ...(explained === 3 ? [] : [`interlock respond explain ended with ${explained}`]),
    ...(opened === 0 ? [] : [`${opened} pull requests were opened again`]),
    ...(JSON.stringify(still) === JSON.stringify(answered) ? [] : ['a response was answered twice']),
    ...(now.metadata.resourceVersion === theirs.metadata.resourceVersion
      ? []
      : ['a response of another responder was changed']),
  ];
}
