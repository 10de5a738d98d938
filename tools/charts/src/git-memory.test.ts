import { expect, it } from '@jest/globals';
import { gitMemoryBytes } from '@interlock/git';
import { describeWithHelm, only, useWorkshop } from './testing/workshop.js';

const mebibyte = 1024 ** 2;
const flag = '--git-process-mebibytes=';

const workshop = useWorkshop();

interface Container {
  args: string[];
  resources: { limits: { memory: string } };
}

async function promoter(values = {}): Promise<Container> {
  const deployment = only(await workshop.render('promoter', values), 'Deployment');
  const { template } = deployment['spec'] as { template: { spec: { containers: [Container] } } };
  return template.spec.containers[0];
}

const processBytes = ({ args }: Container): number =>
  Number(args.find((arg) => arg.startsWith(flag))?.slice(flag.length)) * mebibyte;

/** Returns the bytes of a quantity such as `1536Mi`. */
function bytesOf(quantity: string): number {
  const [, count, unit] = /^([0-9]+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(count) * (unit === 'Gi' ? 1024 : 1) * mebibyte;
}

describeWithHelm('the memory limit of the promoter', () => {
  it('is at least twice the memory of all git processes', async () => {
    const container = await promoter();
    const forGit = gitMemoryBytes(processBytes(container));
    expect(forGit).toBeGreaterThan(0);
    expect(bytesOf(container.resources.limits.memory)).toBeGreaterThanOrEqual(2 * forGit);
  });

  it('allows for git processes of the size in the values', async () => {
    expect(processBytes(await promoter({ gitProcessMebibytes: 512 }))).toBe(512 * mebibyte);
  });
});
