//! Says what the compiler cannot see: the web page's files are part of the program.

fn main() {
    println!("cargo:rerun-if-changed=assets/dist");
}
