function wanted() {}
