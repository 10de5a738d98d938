import type { CommitStatusPhase } from '@interlock/api';
import { describe, expect, test } from '@jest/globals';
import { manyCallsMs } from './contract-fixture.js';
import type { Current } from './contract-fixture.js';

const phases: CommitStatusPhase[] = ['queued', 'in_progress', 'success', 'failure', 'cancelled'];
const isFinal = (phase: CommitStatusPhase): boolean => phase !== 'queued' && phase !== 'in_progress';
/** Returns the phase that an SCM may report: some SCMs do not distinguish pending from running statuses. */
const shown = (phase: CommitStatusPhase): unknown =>
  isFinal(phase) ? phase : expect.stringMatching(/^(queued|in_progress)$/);
const name = 'argocd-health';

export function statusCases(current: Current): void {
  describe.each(phases)('a status of the phase %s', (from) => {
    test.each(phases)('changes to %s', async (to) => {
      const { repository, clock } = current();
      const sha = await current().commit('env/dev');
      const first = { sha, name, phase: from, description: 'one', url: 'https://cd.example.com/1' };
      const ids = await clock.run(repository.ensureCommitStatus(first));
      expect(await current().status(sha, name)).toMatchObject({ phase: shown(from) });
      expect(current().writes()).toBe(1);
      const second = { ...first, phase: to, description: 'two', previous: ids };
      const newIds = await clock.run(repository.ensureCommitStatus(second));
      expect(await current().status(sha, name)).toEqual({ phase: shown(to), description: 'two' });
      const again = await clock.run(repository.ensureCommitStatus({ ...second, previous: newIds }));
      expect(again).toEqual(newIds);
      expect(current().writes()).toBe(1 + current().writesToChange(from, to));
      expect(await clock.run(repository.listCommitStatuses(sha))).toEqual([
        { name, phase: shown(to), description: 'two', url: first.url },
      ]);
    });
  });

  test('does not create a second status when the response with the ids is lost', async () => {
    const { repository, clock } = current();
    const sha = await current().commit('env/dev');
    const status = { sha, name, phase: 'in_progress', description: 'x' } as const;
    current().inject('writeStatus', 'cut', 1);
    await expect(clock.run(repository.ensureCommitStatus(status))).rejects.toMatchObject({
      type: 'Transient',
    });
    await clock.run(repository.ensureCommitStatus(status));
    expect(await current().status(sha, name)).toMatchObject({ phase: shown('in_progress') });
    expect(current().writes()).toBe(1);
  });

  test('finds the replacement of a status by the id of the old status', async () => {
    const { repository, clock } = current();
    const sha = await current().commit('env/dev');
    const set = (phase: CommitStatusPhase, previous?: Readonly<Record<string, number>>) =>
      clock.run(repository.ensureCommitStatus({ sha, name, phase, previous }));
    const old = await set('success');
    current().inject('writeStatus', 'cut', 1);
    await expect(set('in_progress', old)).rejects.toMatchObject({ type: 'Transient' });
    await set('failure', old);
    expect(await current().status(sha, name)).toMatchObject({ phase: 'failure' });
    expect(await clock.run(repository.listCommitStatuses(sha))).toMatchObject([{ phase: 'failure' }]);
  });

  test('recreates a status that vanished', async () => {
    const { repository, clock } = current();
    const sha = await current().commit('env/dev');
    const status = { sha, name, phase: 'success', description: 'x' } as const;
    const previous = await clock.run(repository.ensureCommitStatus(status));
    current().loseStatuses(sha);
    await clock.run(repository.ensureCommitStatus({ ...status, description: 'y', previous }));
    expect(await current().status(sha, name)).toMatchObject({ phase: 'success', description: 'y' });
  });

  test('distinguishes statuses by name and commit', async () => {
    const { repository, clock } = current();
    const [one, two] = [await current().commit('env/dev'), await current().commit('env/test')];
    await clock.run(repository.ensureCommitStatus({ sha: one, name: 'a', phase: 'success' }));
    await clock.run(repository.ensureCommitStatus({ sha: one, name: 'b', phase: 'failure' }));
    await clock.run(repository.ensureCommitStatus({ sha: two, name: 'a', phase: 'queued' }));
    expect(await current().status(one, 'a')).toMatchObject({ phase: 'success' });
    expect(await current().status(one, 'b')).toMatchObject({ phase: 'failure' });
    expect(await current().status(two, 'a')).toMatchObject({ phase: shown('queued') });
    expect(await clock.run(repository.listCommitStatuses(one))).toHaveLength(2);
  });

  test('stores as much of a description as fits, and does not send the description again', async () => {
    const { repository, clock } = current();
    const sha = await current().commit('env/dev');
    const status = {
      sha,
      name,
      phase: 'failure',
      description: `${'é'.repeat(138)}😀${'x'.repeat(900)}`,
    } as const;
    await clock.run(repository.ensureCommitStatus(status));
    await clock.run(repository.ensureCommitStatus(status));
    expect(current().writes()).toBe(1);
    expect(await current().status(sha, name)).toMatchObject({
      description: expect.stringContaining('é'.repeat(138)),
    });
  });

  test('accepts an empty text and a malformed link', async () => {
    const { repository, clock } = current();
    const sha = await current().commit('env/dev');
    for (const url of ['javascript:alert(1)', 'not a link']) {
      await clock.run(repository.ensureCommitStatus({ sha, name, phase: 'queued', url }));
    }
    const [status] = await clock.run(repository.listCommitStatuses(sha));
    expect(status).toMatchObject({ name, phase: shown('queued') });
    // An SCM may link to its own page instead.
    expect(status?.url ?? 'https://').toMatch(/^https?:/);
    expect(current().writes()).toBe(1);
  });

  test(
    'lists more statuses than fit on a page',
    async () => {
      const { repository, clock } = current();
      const sha = await current().commit('env/dev');
      const names = Array.from({ length: 105 }, (_, i) => `check-${i}`);
      for (const each of names) {
        await clock.run(repository.ensureCommitStatus({ sha, name: each, phase: 'success' }));
      }
      const listed = await clock.run(repository.listCommitStatuses(sha));
      expect(listed.map((status) => status.name).sort()).toEqual(names.sort());
    },
    manyCallsMs,
  );
}
