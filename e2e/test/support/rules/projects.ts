/** Returns `apps/promoter` for `apps/promoter/src/app.ts`, and `e2e` for a file of the end-to-end tests. */
export function projectOf(file: string): string {
  const [folder = '', project = ''] = file.split('/');
  return folder === 'e2e' ? folder : `${folder}/${project}`;
}
