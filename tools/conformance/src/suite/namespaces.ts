import { expect } from 'expect';
import type { Answer, Api } from './api.js';

export const namespacePath = (name: string): string => `/api/v1/namespaces/${name}`;

/**
 * Sets the `spec.finalizers` of a namespace, and retries after a conflict.
 *
 * @param next computes the new finalizers from the current ones
 * @returns the response, which is a 404 if the namespace does not exist
 */
export async function finalize(
  api: Api,
  name: string,
  next: (finalizers: readonly string[]) => readonly string[],
): Promise<Answer> {
  for (;;) {
    const { status, body } = await api.get(namespacePath(name));
    const present = body.spec?.['finalizers'] ?? [];
    const spec = { finalizers: next(present as string[]) };
    const answer = await api.put(`${namespacePath(name)}/finalize`, { ...body, spec });
    if (status === 404 || answer.status !== 409) return answer;
  }
}

/** Expects that a create in a namespace that is being deleted is refused. */
export function expectTerminating(answer: Answer, namespace: string): void {
  expect(answer).toMatchObject({
    status: 403,
    body: {
      kind: 'Status',
      reason: 'Forbidden',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    },
  });
  expect(answer.body.message).toContain(
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
}
