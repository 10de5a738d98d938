import { describeError, maxNote } from '../text.js';
import type { AttemptInput } from './attempt.js';

/** Adds labels and reviewers to a pull request. Failures are reported and do not fail the attempt. */
export async function decorate(
  {
    repository,
    route,
    signal,
    onWarning,
  }: Pick<AttemptInput, 'repository' | 'route' | 'signal' | 'onWarning'>,
  id: number,
): Promise<void> {
  const { labels = [], reviewers = [] } = route ?? {};
  const reportAs = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      onWarning(`${what} of pull request ${id} of ${repository.fullName}: ${describeError(error, maxNote)}`);
    }
  };
  if (labels.length > 0)
    await reportAs('labels', () => repository.ensureLabels(id, { add: labels }, { signal }));
  if (reviewers.length === 0) return;
  await reportAs('reviewers', async () => {
    if (repository.ensureReviewers === undefined) throw new Error('the provider does not support reviewers');
    await repository.ensureReviewers(id, reviewers, { signal });
  });
}
