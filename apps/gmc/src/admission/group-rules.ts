import type { RunnerGroupSpec } from '@interlock/api';
import type { FieldProblem } from '@interlock/base';
import type { TenantPolicy } from './policy.js';

type PodSpec = NonNullable<RunnerGroupSpec['podTemplate']['spec']>;

/** The security profile of the gateway that a worker pod belongs to. */
export type Profile = 'baseline' | 'restricted' | 'privileged';

/**
 * Returns what the platform team does not allow in a RunnerGroup. Rules that a schema can express are in the CustomResourceDefinition.
 *
 * @param path of the spec, such as `spec` or `spec.runnerGroups[0]`
 */
export function groupProblems(
  spec: RunnerGroupSpec,
  path: string,
  profile: Profile,
  policy: Pick<TenantPolicy, 'allowedPriorityClasses'>,
): FieldProblem[] {
  const { priorityTiers = [], podTemplate } = spec;
  const classes = [
    ...priorityTiers.map(({ priorityClassName }, index) => ({
      field: `${path}.priorityTiers[${index}].priorityClassName`,
      value: priorityClassName,
    })),
    {
      field: `${path}.podTemplate.spec.priorityClassName`,
      value: podTemplate.spec?.priorityClassName ?? '',
    },
  ].filter(({ value }) => value !== '');
  return [
    ...classes
      .filter(({ value }) => !policy.allowedPriorityClasses.includes(value))
      .map(({ field, value }) => ({ field, value, message: notAllowed(value, policy) })),
    ...(profile === 'privileged' ? [] : privilegedContainers(podTemplate.spec, `${path}.podTemplate.spec`)),
  ];
}

function notAllowed(name: string, { allowedPriorityClasses }: Pick<TenantPolicy, 'allowedPriorityClasses'>) {
  const known =
    allowedPriorityClasses.length === 0
      ? 'no PriorityClass is allowed here'
      : `the allowed ones are ${allowedPriorityClasses.join(', ')}`;
  return `PriorityClass ${name} is not allowed: ${known}; ask the platform team to add it to --allowed-priority-classes`;
}

const containerLists = ['initContainers', 'containers'] as const;

function privilegedContainers(spec: PodSpec | undefined, path: string): FieldProblem[] {
  return containerLists.flatMap((list) =>
    (spec?.[list] ?? []).flatMap(({ name, securityContext }, index): FieldProblem[] =>
      securityContext?.privileged === true
        ? [
            {
              field: `${path}.${list}[${index}].securityContext.privileged`,
              value: 'true',
              message: `container ${name} must not be privileged in a gateway whose securityProfile is not privileged; set privileged to false, or use a gateway with that profile in another namespace`,
            },
          ]
        : [],
    ),
  );
}
