import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The variable that names the folder of the binaries, as in controller-runtime's envtest. */
export const assetsVariable = 'KUBEBUILDER_ASSETS';

const howToGetThem =
  'Install etcd and kube-apiserver of Kubernetes 1.30 or later into one folder, for example with ' +
  '`setup-envtest use 1.33 --print path`, and name that folder.';

/** The binaries of a control plane, as absolute paths. */
export interface Assets {
  readonly etcd: string;
  readonly apiServer: string;
  /** Absent in the archives of setup-envtest. */
  readonly controllerManager: string | undefined;
}

/**
 * Returns the folder that `KUBEBUILDER_ASSETS` names.
 * @throws Error when the variable is not set.
 */
export function assetsFromEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const folder = env[assetsVariable];
  if (folder) return folder;
  throw new Error(`The variable ${assetsVariable} is not set. ${howToGetThem}`);
}

/**
 * Returns the binaries of a folder.
 * @throws Error that names the file that is missing or cannot be executed, and how to get it.
 */
export async function findAssets(folder: string): Promise<Assets> {
  const [etcd, apiServer, controllerManager] = ['etcd', 'kube-apiserver', 'kube-controller-manager'].map(
    (name) => join(resolve(folder), name),
  ) as [string, string, string];
  await requireExecutable(etcd);
  await requireExecutable(apiServer);
  const hasControllerManager = await exists(controllerManager);
  if (hasControllerManager) await requireExecutable(controllerManager);
  return { etcd, apiServer, controllerManager: hasControllerManager ? controllerManager : undefined };
}

async function requireExecutable(file: string): Promise<void> {
  if (!(await exists(file))) throw new Error(`The file ${file} does not exist. ${howToGetThem}`);
  const isExecutable = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isExecutable) throw new Error(`The file ${file} is not executable. Run \`chmod +x ${file}\`.`);
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
