//! What is kept of outputs that programs really printed. Lines about failures are shown with `!`, warnings with `w`, the
//! outcome with `=`; what is left out, as `…`.

use std::fmt::Write;

use super::*;

fn shown(text: &str) -> String {
    let Some(digest) = digest(text) else {
        return "unknown\n".to_owned();
    };
    let mut shown = format!("{}\n", digest.headline());
    let mut gap = false;
    for (index, line) in text.lines().enumerate() {
        let rank = digest.lines.iter().find(|it| it.lines.contains(&index));
        let mark = match rank.map(|it| it.rank) {
            Some(OUTCOME) => '=',
            Some(FAILURE) => '!',
            Some(_) => 'w',
            None => {
                if !gap {
                    shown.push_str("…\n");
                }
                gap = true;
                continue;
            }
        };
        gap = false;
        let _ = writeln!(shown, "{}", format!("{mark} {line}").trim_end());
    }
    shown
}

#[test]
fn the_table_of_formats_is_compiled() {
    assert!(COMPILED.is_some());
}

#[test]
fn other_text_is_left_alone() {
    for text in [
        "",
        "hello\n",
        "total 12\ndrwxr-xr-x 2 me me 4096 src\n",
        "error: pathspec 'x' did not match any file(s) known to git\n",
        "src/a.rs:12: let error = 1;\n",
        "commit 0aacec8\n\n    FAIL early\n",
        "FAILED attempts are counted\nok then\n",
    ] {
        assert_eq!(digest(text), None, "{text:?}");
    }
}

#[test]
fn of_cargo_build() {
    insta::assert_snapshot!(shown(include_str!("samples/cargo_build.txt")), @"
    rustc: error: could not compile `demo` (lib) due to 2 previous errors
    …
    ! error[E0425]: cannot find value `c` in this scope
    !  --> src/lib.rs:1:41
    !   |
    ! 1 | pub fn add(a: i32, b: i32) -> i32 { a + c }
    !   |                                         ^
    !   |
    ! help: a local variable with a similar name exists
    !   |
    ! 1 - pub fn add(a: i32, b: i32) -> i32 { a + c }
    ! 1 + pub fn add(a: i32, b: i32) -> i32 { a + a }
    !   |
    …
    ! error[E0308]: mismatched types
    !  --> src/lib.rs:3:27
    !   |
    ! 3 | pub fn text() -> String { 5 }
    !   |                  ------   ^ expected `String`, found integer
    !   |                  |
    !   |                  expected `String` because of return type
    !   |
    ! help: try using a conversion method
    !   |
    ! 3 | pub fn text() -> String { 5.to_string() }
    !   |                            ++++++++++++
    …
    = error: could not compile `demo` (lib) due to 2 previous errors
    ");
}

#[test]
fn of_cargo_test() {
    insta::assert_snapshot!(shown(include_str!("samples/cargo_test.txt")), @"
    cargo test: test result: FAILED. 2 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.73s
    …
    ! test tests::breaks ... FAILED
    …
    ! test tests::adds_wrong ... FAILED
    !
    …
    ! ---- tests::breaks stdout ----
    !
    ! thread 'tests::breaks' (30738) panicked at src/lib.rs:9:62:
    ! index out of bounds: the len is 0 but the index is 0
    …
    !    6: demo::tests::breaks
    !              at ./src/lib.rs:9:62
    !    7: demo::tests::breaks::{{closure}}
    !              at ./src/lib.rs:9:24
    …
    !
    ! ---- tests::adds_wrong stdout ----
    ! about to add
    !
    ! thread 'tests::adds_wrong' (30737) panicked at src/lib.rs:7:57:
    ! assertion `left == right` failed: sum
    !   left: 3
    !  right: 4
    …
    !    4: demo::tests::adds_wrong
    !              at ./src/lib.rs:7:57
    !    5: demo::tests::adds_wrong::{{closure}}
    !              at ./src/lib.rs:7:28
    …
    !
    !
    …
    = test result: FAILED. 2 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.73s
    …
    ! error: test failed, to rerun pass `--lib`
    ");
}

#[test]
fn of_clippy() {
    insta::assert_snapshot!(shown(include_str!("samples/clippy.txt")), @"
    rustc: warning: `demo` (lib) generated 1 warning (run `cargo clippy --fix --lib -p demo -- ` to apply 1 suggestion)
    …
    w warning: unneeded `return` statement
    w  --> src/lib.rs:2:30
    w   |
    w 2 | pub fn half(a: i32) -> i32 { return a / 2; }
    w   |                              ^^^^^^^^^^^^
    w   |
    w   = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#needless_return
    w   = note: `#[warn(clippy::needless_return)]` on by default
    w help: remove `return`
    w   |
    w 2 - pub fn half(a: i32) -> i32 { return a / 2; }
    w 2 + pub fn half(a: i32) -> i32 { a / 2}
    w   |
    …
    = warning: `demo` (lib) generated 1 warning (run `cargo clippy --fix --lib -p demo -- ` to apply 1 suggestion)
    =     Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.53s
    ");
}

#[test]
fn of_eslint() {
    insta::assert_snapshot!(shown(include_str!("samples/eslint.txt")), @"
    eslint: ✖ 4 problems (2 errors, 2 warnings)
    …
    w /home/me/demo/js/t/bad.js
    w   1:18  warning  'q' is assigned a value but never used                           no-unused-vars
    !   1:22  error    'y' is not defined                                               no-undef
    !   1:29  error    Expected a conditional expression and instead saw an assignment  no-cond-assign
    w   1:29  warning  'x' is assigned a value but never used                           no-unused-vars
    …
    = ✖ 4 problems (2 errors, 2 warnings)
    …
    ");
}

#[test]
fn of_gcc() {
    insta::assert_snapshot!(shown(include_str!("samples/gcc.txt")), @r#"
    C compiler, make: make: *** [Makefile:3: a.o] Error 1
    …
    w a.c:5:15: warning: initialization of ‘char *’ from ‘int’ makes pointer from integer without a cast [-Wint-conversion]
    w     5 |     char *s = 5;
    w       |               ^
    ! a.c:6:20: error: ‘undeclared’ undeclared (first use in this function)
    !     6 |     printf("%d\n", undeclared);
    !       |                    ^~~~~~~~~~
    ! a.c:6:20: note: each undeclared identifier is reported only once for each function it appears in
    w a.c:7:19: warning: passing argument 1 of ‘helper’ makes integer from pointer without a cast [-Wint-conversion]
    w     7 |     return helper("x");
    w       |                   ^~~
    w       |                   |
    w       |                   char *
    w a.c:2:16: note: expected ‘int’ but argument is of type ‘char *’
    w     2 | int helper(int a);
    w       |            ~~~~^
    w a.c:5:11: warning: unused variable ‘s’ [-Wunused-variable]
    w     5 |     char *s = 5;
    w       |           ^
    w a.c:4:9: warning: unused variable ‘unused’ [-Wunused-variable]
    w     4 |     int unused;
    w       |         ^~~~~~
    = make: *** [Makefile:3: a.o] Error 1
    "#);
}

#[test]
fn of_go_test() {
    insta::assert_snapshot!(shown(include_str!("samples/go_test.txt")), @"
    go test: FAIL
    …
    ! broken/broken.go:4:9: undefined: missing
    …
    ! === RUN   TestSum
    !     demo_test.go:14: about to sum
    !     demo_test.go:17: got 3, want 4
    ! --- FAIL: TestSum (0.00s)
    …
    ! === RUN   TestTable/two
    !     demo_test.go:30: wrong
    ! --- FAIL: TestTable (0.00s)
    …
    !     --- FAIL: TestTable/two (0.00s)
    …
    = FAIL
    = FAIL	example.com/demo	0.003s
    = ok  	example.com/demo/fine	0.002s
    = FAIL	example.com/demo/broken [build failed]
    …
    = FAIL
    ");
}

#[test]
fn of_gradle() {
    insta::assert_snapshot!(shown(include_str!("samples/gradle.txt")), @"
    Gradle: BUILD FAILED in 3s
    …
    ! SumTest > sums() FAILED
    !     org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
    …
    !         at com.example.SumTest.sums(SumTest.java:12)
    !
    = 2 tests completed, 1 failed
    …
    ! > Task :test FAILED
    !
    ! FAILURE: Build failed with an exception.
    !
    ! * What went wrong:
    ! Execution failed for task ':test'.
    ! > There were failing tests. See the report at: file:///home/me/demo/build/reports/tests/test/index.html
    !
    …
    = BUILD FAILED in 3s
    …
    ");
}

#[test]
fn of_jest() {
    insta::assert_snapshot!(shown(include_str!("samples/jest.txt")), @"
    jest: Tests:       2 failed, 1 skipped, 3 passed, 6 total
    ! FAIL j/a.test.cjs
    !   ● Console
    !
    !     console.log
    !       hello
    !
    !       at Object.<anonymous> (j/a.test.cjs:3:36)
    !
    !   ● adds wrong
    !
    !     expect(received).toBe(expected) // Object.is equality
    !
    !     Expected: 4
    !     Received: 3
    !
    !       1 | const add = (a, b) => a + b;
    !       2 | test('adds', () => { expect(add(1, 2)).toBe(3); });
    !     > 3 | test('adds wrong', () => { console.log('hello'); expect(add(1, 2)).toBe(4); });
    !         |                                                                    ^
    !       4 | describe('group', () => { test('ok', () => {}); test('throws', () => { null.x; }); test.skip('later', () => {}); });
    !       5 |
    !
    !       at Object.<anonymous> (j/a.test.cjs:3:68)
    !
    !   ● group › throws
    !
    !     TypeError: Cannot read properties of null (reading 'x')
    !
    !       2 | test('adds', () => { expect(add(1, 2)).toBe(3); });
    !       3 | test('adds wrong', () => { console.log('hello'); expect(add(1, 2)).toBe(4); });
    !     > 4 | describe('group', () => { test('ok', () => {}); test('throws', () => { null.x; }); test.skip('later', () => {}); });
    !         |                                                                             ^
    !       5 |
    !
    !       at Object.<anonymous> (j/a.test.cjs:4:77)
    !
    …
    = Test Suites: 1 failed, 1 passed, 2 total
    = Tests:       2 failed, 1 skipped, 3 passed, 6 total
    …
    ");
}

#[test]
fn of_maven() {
    insta::assert_snapshot!(shown(include_str!("samples/maven.txt")), @"
    Maven: [ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0
    …
    ! [ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.012 s <<< FAILURE! -- in com.example.SumTest
    ! [ERROR] com.example.SumTest.sums -- Time elapsed: 0.004 s <<< FAILURE!
    ! org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
    …
    ! 	at com.example.SumTest.sums(SumTest.java:12)
    …
    !
    …
    ! [ERROR] Failures:
    ! [ERROR]   SumTest.sums:12 expected: <4> but was: <3>
    …
    = [ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0
    …
    = [INFO] BUILD FAILURE
    …
    ");
}

#[test]
fn of_nextest() {
    insta::assert_snapshot!(shown(include_str!("samples/nextest.txt")), @"
    nextest: Summary [   0.227s] 3/4 tests run: 1 passed, 2 failed, 1 skipped
    …
    !         FAIL [   0.221s] (2/4) demo tests::adds_wrong
    !   stdout ───
    !
    !     running 1 test
    !     about to add
    !     test tests::adds_wrong ... FAILED
    !
    !     failures:
    !
    !     failures:
    !         tests::adds_wrong
    !
    !     test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.21s
    !
    !   stderr ───
    !
    !     thread 'tests::adds_wrong' (30812) panicked at src/lib.rs:7:57:
    !     assertion `left == right` failed: sum
    !       left: 3
    !      right: 4
    …
    !        4: demo::tests::adds_wrong
    !                  at ./src/lib.rs:7:57
    !        5: demo::tests::adds_wrong::{{closure}}
    !                  at ./src/lib.rs:7:28
    …
    !
    …
    !         FAIL [   0.202s] (3/4) demo tests::breaks
    !   stdout ───
    !
    !     running 1 test
    !     test tests::breaks ... FAILED
    !
    !     failures:
    !
    !     failures:
    !         tests::breaks
    !
    !     test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.19s
    !
    !   stderr ───
    !
    !     thread 'tests::breaks' (30815) panicked at src/lib.rs:9:62:
    !     index out of bounds: the len is 0 but the index is 0
    …
    !        6: demo::tests::breaks
    !                  at ./src/lib.rs:9:62
    !        7: demo::tests::breaks::{{closure}}
    !                  at ./src/lib.rs:9:24
    …
    !
    …
    =      Summary [   0.227s] 3/4 tests run: 1 passed, 2 failed, 1 skipped
    !         FAIL [   0.221s] (2/4) demo tests::adds_wrong
    !         FAIL [   0.202s] (3/4) demo tests::breaks
    ! warning: 1/4 tests were not run due to test failure (run with --no-fail-fast to run all tests, or run with --max-fail)
    = error: test run failed
    ");
}

#[test]
fn of_node() {
    insta::assert_snapshot!(shown(include_str!("samples/node.txt")), @"
    node test: # fail 1
    …
    ! not ok 2 - bad
    !   ---
    !   duration_ms: 0.601583
    !   location: '/home/me/demo/js/n.test.mjs:2:23'
    !   failureType: 'testCodeFailure'
    !   error: '1 == 2'
    !   code: 'ERR_ASSERTION'
    !   name: 'AssertionError'
    !   expected: 2
    !   actual: 1
    !   operator: '=='
    !   stack: |-
    !     TestContext.<anonymous> (file:///home/me/demo/js/n.test.mjs:2:50)
    !     Test.runInAsyncScope (node:async_hooks:206:9)
    …
    !   ...
    ! 1..2
    = # tests 2
    …
    = # pass 1
    = # fail 1
    …
    ");
}

#[test]
fn of_pytest() {
    insta::assert_snapshot!(shown(include_str!("samples/pytest.txt")), @r#"
    pytest: 1 failed, 4 passed, 1 skipped, 1 error in 0.02s
    …
    ! ==================================== ERRORS ====================================
    ! __________________________ ERROR at setup of test_err __________________________
    !
    !     @pytest.fixture
    ! >   def broken(): raise RuntimeError("no fixture")
    !                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    ! E   RuntimeError: no fixture
    !
    ! test_a.py:10: RuntimeError
    ! =================================== FAILURES ===================================
    ! ___________________________________ test_bad ___________________________________
    !
    !     def test_bad():
    !         print("hello")
    ! >       assert add(1, 2) == 4
    ! E       assert 3 == 4
    ! E        +  where 3 = add(1, 2)
    !
    ! test_a.py:6: AssertionError
    ! ----------------------------- Captured stdout call -----------------------------
    ! hello
    …
    ! FAILED test_a.py::test_bad - assert 3 == 4
    ! ERROR test_a.py::test_err - RuntimeError: no fixture
    = =============== 1 failed, 4 passed, 1 skipped, 1 error in 0.02s ================
    "#);
}

#[test]
fn of_pytest_verbose() {
    insta::assert_snapshot!(shown(include_str!("samples/pytest_verbose.txt")), @r#"
    pytest: 1 failed, 4 passed, 1 skipped, 1 error in 0.05s
    …
    ! ==================================== ERRORS ====================================
    ! __________________________ ERROR at setup of test_err __________________________
    !
    !     @pytest.fixture
    ! >   def broken(): raise RuntimeError("no fixture")
    !                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    ! E   RuntimeError: no fixture
    !
    ! test_a.py:10: RuntimeError
    ! =================================== FAILURES ===================================
    ! ___________________________________ test_bad ___________________________________
    !
    !     def test_bad():
    !         print("hello")
    ! >       assert add(1, 2) == 4
    ! E       assert 3 == 4
    ! E        +  where 3 = add(1, 2)
    !
    ! test_a.py:6: AssertionError
    ! ----------------------------- Captured stdout call -----------------------------
    ! hello
    …
    ! FAILED test_a.py::test_bad - assert 3 == 4
    ! ERROR test_a.py::test_err - RuntimeError: no fixture
    = =============== 1 failed, 4 passed, 1 skipped, 1 error in 0.05s ================
    "#);
}

#[test]
fn of_tsc() {
    insta::assert_snapshot!(shown(include_str!("samples/tsc.txt")), @"
    tsc
    ! t/a.ts(1,7): error TS2322: Type 'number' is not assignable to type 'string'.
    ! t/a.ts(2,32): error TS2304: Cannot find name 'y'.
    ! t/a.ts(3,3): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.
    ");
}

#[test]
fn of_unittest() {
    insta::assert_snapshot!(shown(include_str!("samples/unittest.txt")), @r#"
    unittest, Python: FAILED (failures=1); AssertionError: 1 != 2
    …
    ! FAIL: test_bad (test_b.T.test_bad)
    ! ----------------------------------------------------------------------
    ! Traceback (most recent call last):
    !   File "/home/me/demo/py/test_b.py", line 4, in test_bad
    !     def test_bad(self): self.assertEqual(1, 2)
    !                         ^^^^^^^^^^^^^^^^^^^^^^
    = AssertionError: 1 != 2
    !
    ! ----------------------------------------------------------------------
    = Ran 2 tests in 0.000s
    …
    = FAILED (failures=1)
    "#);
}

#[test]
fn of_vitest() {
    insta::assert_snapshot!(shown(include_str!("samples/vitest.txt")), @"
    vitest: Tests  1 failed | 2 passed | 1 skipped (4)
    …
    !    × adds wrong 4ms
    !      → expected 3 to be 4 // Object.is equality
    !    ↓ later
    …
    ! ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯
    !
    !  FAIL  v/a.test.mjs > adds wrong
    ! AssertionError: expected 3 to be 4 // Object.is equality
    !
    ! - Expected
    ! + Received
    !
    ! - 4
    ! + 3
    !
    !  ❯ v/a.test.mjs:3:42
    !       1| import { test, expect } from 'vitest';
    !       2| test('adds', () => { expect(1 + 2).toBe(3); });
    !       3| test('adds wrong', () => { expect(1 + 2).toBe(4); });
    !        |                                          ^
    !       4| test.skip('later', () => {});
    !       5|
    !
    ! ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯
    !
    !
    =  Test Files  1 failed | 1 passed (2)
    =       Tests  1 failed | 2 passed | 1 skipped (4)
    …
    ");
}
