/** True when a type is exactly the other. `any` equals nothing but itself. */
export type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export declare function expectType<_Holds extends true>(): void
