func long(word) { word.length > 3 }
func short(word) { not long(word) }
func _later(word) { word }
main func(input) { input.words.filter(long) }
