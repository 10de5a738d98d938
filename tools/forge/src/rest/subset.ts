/**
 * A part of an answer: fields may be left out, but none may be made up or have another type. Checked where an answer
 * is written, as `{…} satisfies Subset<…>`.
 */
export type Subset<T> = T extends readonly (infer Item)[]
  ? Subset<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Subset<T[Key]> }
    : T;
