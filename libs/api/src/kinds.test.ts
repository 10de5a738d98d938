import { expect, it } from '@jest/globals';
import { customKinds } from './kinds.js';

/* `kubectl api-resources` of Kubernetes 1.36. kubectl prefers the kinds of Kubernetes to others with the same short name. */
const ofKubernetes =
  'cj cm crd crds cs csr deploy ds ep ev hpa ing limits netpol no ns pc pdb po pv pvc quota rc rs sa sc sts svc vac';

it('the custom kinds have short names that neither Kubernetes nor another kind uses', () => {
  const names = customKinds.flatMap(({ shortNames }) => shortNames);
  expect(names.filter((name) => ofKubernetes.split(' ').includes(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
});
