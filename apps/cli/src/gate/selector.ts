import type { LabelSelector } from '@interlock/api';

/** @returns whether labels match a selector (Kubernetes documentation, "Labels and Selectors"). */
export function matchesSelector(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const exact = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return exact && (selector.matchExpressions ?? []).every((one) => matchesExpression(one, labels[one.key]));
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

function matchesExpression({ operator, values = [] }: Expression, value: string | undefined): boolean {
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
}
