/* a comment
   of two lines */
main func(input) { input /* here too */ }
