import type { LabelSelector } from './commit-status/sources.js';

/**
 * Returns whether a label selector matches labels. An empty selector matches everything (Kubernetes documentation,
 * "Labels and Selectors": NotIn and DoesNotExist match an object without the key).
 */
export function matchesLabels(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined = {},
): boolean {
  const own = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const equal = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => own(key) === value);
  return (
    equal &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = own(key);
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
      }
    })
  );
}
